//! What ISO C has in its headers, and how a call of each function is tried.

/// How near the results of two libraries must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nearness {
    Equal,
    /// A few units in the last place of a `double`.
    Double,
    /// The same of a `float`.
    Float,
}

/// A call. Its random inputs are `x` and `y` (`double`), `p` and `q` (`float`), `i` (from -20 to 20), `k` (a
/// `long`), `c` (a character, or -1), the texts `s` and `t`, which have room for 40 characters, and the
/// stream `f`. What it computes goes to `r` (a `double`) or to `n` (a `long`).
pub(crate) struct Call {
    pub(crate) header: &'static str,
    pub(crate) function: &'static str,
    pub(crate) code: String,
    pub(crate) nearness: Nearness,
}

/// The functions of each header, but for macros and threads.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "string.h",
        "memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp \
         strncpy strpbrk strrchr strspn strstr strtok strxfrm",
    ),
    (
        "ctype.h",
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper",
    ),
    (
        "stdlib.h",
        "_Exit abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free getenv labs \
         ldiv llabs lldiv malloc mblen mbstowcs mbtowc qsort quick_exit rand realloc srand strtod strtof strtol strtold \
         strtoll strtoul strtoull system wcstombs wctomb",
    ),
    (
        "stdio.h",
        "clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek \
         fsetpos ftell fwrite getc getchar perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf \
         snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf",
    ),
    (
        "math.h",
        "acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf cbrt cbrtf ceil ceilf copysign \
         copysignf cos cosf cosh coshf erf erfc erfcf erff exp exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf floor \
         floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf frexp frexpf hypot hypotf ilogb ilogbf ldexp ldexpf lgamma \
         lgammaf llrint llrintf llround llroundf log log10 log10f log1p log1pf log2 log2f logb logbf logf lrint lrintf \
         lround lroundf modf modff nan nanf nearbyint nearbyintf nextafter nextafterf nexttoward nexttowardf pow powf \
         remainder remainderf remquo remquof rint rintf round roundf scalbln scalblnf scalbn scalbnf sin sinf sinh sinhf \
         sqrt sqrtf tan tanf tanh tanhf tgamma tgammaf trunc truncf",
    ),
    ("time.h", "asctime clock ctime difftime gmtime localtime mktime strftime time timespec_get"),
];

pub(crate) fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    let mut add = |header, function: &'static str, code: String, nearness| {
        calls.push(Call { header, function, code, nearness });
    };
    for (function, nearness) in unary() {
        add("math.h", function, format!("r = {function}(x);"), nearness);
        let float = if nearness == Nearness::Equal { nearness } else { Nearness::Float };
        let name: &'static str = Box::leak(format!("{function}f").into_boxed_str());
        add("math.h", name, format!("r = {name}(p);"), float);
    }
    for (function, nearness) in binary() {
        add("math.h", function, format!("r = {function}(x, y);"), nearness);
        let float = if nearness == Nearness::Equal { nearness } else { Nearness::Float };
        let name: &'static str = Box::leak(format!("{function}f").into_boxed_str());
        add("math.h", name, format!("r = {name}(p, q);"), float);
    }
    for (header, function, code) in OTHERS {
        add(header, function, code.to_string(), Nearness::Equal);
    }
    for function in HEADERS[1].1.split_whitespace() {
        let code = match function {
            "tolower" | "toupper" => format!("n = ({function})(c);"),
            _ => format!("n = ({function})(c) != 0;"),
        };
        add("ctype.h", function, code, Nearness::Equal);
    }
    calls
}

fn unary() -> impl Iterator<Item = (&'static str, Nearness)> {
    let near = "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sin sinh tan tanh tgamma";
    let equal = "ceil fabs floor logb nearbyint rint round sqrt trunc";
    let near = near.split_whitespace().map(|name| (name, Nearness::Double));
    near.chain(equal.split_whitespace().map(|name| (name, Nearness::Equal)))
}

fn binary() -> impl Iterator<Item = (&'static str, Nearness)> {
    let near = "atan2 hypot pow".split_whitespace().map(|name| (name, Nearness::Double));
    let equal = "copysign fdim fmod nextafter remainder";
    near.chain(equal.split_whitespace().map(|name| (name, Nearness::Equal)))
}

/// Those that are called in a way of their own.
const OTHERS: &[(&str, &str, &str)] = &[
    ("math.h", "frexp", "int e = 0; r = frexp(x, &e); n = x - x == 0 ? e : 0;"),
    ("math.h", "frexpf", "int e = 0; r = frexpf(p, &e); n = p - p == 0 ? e : 0;"),
    // To add zero makes one of both zeros, as C leaves open which of them it is.
    ("math.h", "fmax", "r = fmax(x, y) + 0.0;"),
    ("math.h", "fmaxf", "r = fmaxf(p, q) + 0.0f;"),
    ("math.h", "fmin", "r = fmin(x, y) + 0.0;"),
    ("math.h", "fminf", "r = fminf(p, q) + 0.0f;"),
    ("math.h", "modf", "double w; r = modf(x, &w); n = w == x;"),
    ("math.h", "modff", "float w; r = modff(p, &w); n = w == p;"),
    ("math.h", "ilogb", "n = ilogb(x);"),
    ("math.h", "ilogbf", "n = ilogbf(p);"),
    ("math.h", "ldexp", "r = ldexp(x, i * 53);"),
    ("math.h", "ldexpf", "r = ldexpf(p, i * 7);"),
    ("math.h", "scalbn", "r = scalbn(x, i * 53);"),
    ("math.h", "scalbnf", "r = scalbnf(p, i * 7);"),
    ("math.h", "scalbln", "r = scalbln(x, k);"),
    ("math.h", "scalblnf", "r = scalblnf(p, k);"),
    ("math.h", "nan", "r = nan(s) == 0;"),
    ("math.h", "nanf", "r = nanf(s) == 0;"),
    ("math.h", "lrint", "n = lrint(small);"),
    ("math.h", "lrintf", "n = lrintf(small);"),
    ("math.h", "llrint", "n = llrint(small);"),
    ("math.h", "llrintf", "n = llrintf(small);"),
    ("math.h", "lround", "n = lround(small);"),
    ("math.h", "lroundf", "n = lroundf(small);"),
    ("math.h", "llround", "n = llround(small);"),
    ("math.h", "llroundf", "n = llroundf(small);"),
    ("string.h", "memchr", "char *at = memchr(s, t[0], strlen(s) + 1); n = at ? at - s : -1;"),
    ("string.h", "memcmp", "n = sign(memcmp(s, t, strlen(s) < strlen(t) ? strlen(s) : strlen(t)));"),
    ("string.h", "memcpy", "memcpy(s, t, strlen(t) + 1); n = digest(s);"),
    ("string.h", "memmove", "memmove(s + 1, s, strlen(s) + 1); n = digest(s);"),
    ("string.h", "memset", "memset(s, c, strlen(s)); n = digest(s);"),
    ("string.h", "strcat", "strcat(s, t); n = digest(s);"),
    ("string.h", "strchr", "char *at = strchr(s, t[0]); n = at ? at - s : -1;"),
    ("string.h", "strcmp", "n = sign(strcmp(s, t));"),
    ("string.h", "strcoll", "n = sign(strcoll(s, t));"),
    ("string.h", "strcpy", "n = strcpy(s, t) - s + digest(s);"),
    ("string.h", "strcspn", "n = strcspn(s, t);"),
    ("string.h", "strlen", "n = strlen(s);"),
    ("string.h", "strncat", "strncat(s, t, size); n = digest(s);"),
    ("string.h", "strncmp", "n = sign(strncmp(s, t, size));"),
    ("string.h", "strncpy", "strncpy(s, t, size); n = digest(s);"),
    ("string.h", "strpbrk", "char *at = strpbrk(s, t); n = at ? at - s : -1;"),
    ("string.h", "strrchr", "char *at = strrchr(s, t[0]); n = at ? at - s : -1;"),
    ("string.h", "strspn", "n = strspn(s, t);"),
    ("string.h", "strstr", "t[2] = 0; char *at = strstr(s, t); n = at ? at - s : -1;"),
    (
        "string.h",
        "strtok",
        "for (char *at = strtok(s, \"a \"); at; at = strtok(0, \"b-\")) n = n * 31 + (at - s) + digest(at);",
    ),
    ("stdlib.h", "abs", "n = abs(i);"),
    ("stdlib.h", "labs", "n = labs(k);"),
    ("stdlib.h", "llabs", "n = llabs(k);"),
    ("stdlib.h", "div", "div_t d = div(k, i ? i : 1); n = d.quot * 100l + d.rem;"),
    ("stdlib.h", "ldiv", "ldiv_t d = ldiv(k, i ? i : 1); n = d.quot * 100 + d.rem;"),
    ("stdlib.h", "lldiv", "lldiv_t d = lldiv(k, i ? i : 1); n = d.quot * 100 + d.rem;"),
    ("stdlib.h", "atoi", "number(s); s[7] = 0; n = atoi(s);"),
    ("stdlib.h", "atol", "number(s); s[16] = 0; n = atol(s);"),
    ("stdlib.h", "atoll", "number(s); s[16] = 0; n = atoll(s);"),
    ("stdlib.h", "atof", "number(s); r = atof(s);"),
    (
        "stdlib.h",
        "strtod",
        "number(s); char *end; errno = 0; r = strtod(s, &end); n = end - s; if (n) n = n * 64 + errno; errno = 0;",
    ),
    (
        "stdlib.h",
        "strtof",
        "number(s); char *end; errno = 0; r = strtof(s, &end); n = end - s; if (n) n = n * 64 + errno; errno = 0;",
    ),
    (
        "stdlib.h",
        "strtol",
        "number(s); char *end; errno = 0; n = strtol(s, &end, base); n ^= (end - s) * 64 + errno;",
    ),
    (
        "stdlib.h",
        "strtoll",
        "number(s); char *end; errno = 0; n = strtoll(s, &end, base); n ^= (end - s) * 64 + errno;",
    ),
    (
        "stdlib.h",
        "strtoul",
        "number(s); char *end; errno = 0; n = strtoul(s, &end, base); n ^= (end - s) * 64 + errno;",
    ),
    (
        "stdlib.h",
        "strtoull",
        "number(s); char *end; errno = 0; n = strtoull(s, &end, base); n ^= (end - s) * 64 + errno;",
    ),
    ("stdlib.h", "malloc", "char *m = malloc(size + 1); m[size] = i; n = m[size]; free(m);"),
    ("stdlib.h", "calloc", "char *m = calloc(size + 1, 3); n = m[size * 3]; free(m);"),
    (
        "stdlib.h",
        "realloc",
        "char *m = malloc(size + 1); m[size] = i; m = realloc(m, size + 9); n = m[size]; free(m);",
    ),
    ("stdlib.h", "free", "free(malloc(size)); free(NULL);"),
    ("stdlib.h", "qsort", "qsort(s, strlen(s), 1, order); n = digest(s);"),
    (
        "stdlib.h",
        "bsearch",
        "char *at = bsearch(\"g\", \"abcdefghijklmnop\" + size, 16 - size, 1, order); n = at ? *at : -1;",
    ),
    (
        "stdio.h",
        "snprintf",
        "n = snprintf(s, size, formats[pick % 6], i, k, t); if (size) n = n * 31 + digest(s);",
    ),
    ("stdio.h", "sprintf", "n = sprintf(wide, reals[pick % 6], small) * 31; n += digest(wide);"),
    (
        "stdio.h",
        "vsnprintf",
        "n = with_list(s, size, formats[pick % 6], i, k, t); if (size) n = n * 31 + digest(s);",
    ),
    ("stdio.h", "vsprintf", "n = with_list(NULL, size, reals[pick % 6], small) * 31; n += digest(wide);"),
    (
        "stdio.h",
        "sscanf",
        "number(s); tailless(s); int a = 0; float b = 0; char d = 0; n = sscanf(s, scans[pick % 4], &a, &d, &b) * 31 + a + d; r = b;",
    ),
    (
        "stdio.h",
        "vsscanf",
        "number(s); tailless(s); int a = 0; float b = 0; char d = 0; n = scan_list(s, scans[pick % 4], &a, &d, &b) * 31 + a + d; r = b;",
    ),
    ("time.h", "difftime", "r = difftime(k, i);"),
    // Printed text is compared, too.
    ("stdio.h", "printf", "n = printf(formats[pick % 6], i, k, t); printf(\"%5.2f|%d\", small, i);"),
    ("stdio.h", "fprintf", "n = fprintf(stderr, reals[pick % 6], small); fprintf(stdout, \"%-4s\", t);"),
    ("stdio.h", "vprintf", "n = print_list(NULL, formats[pick % 6], i, k, t);"),
    ("stdio.h", "vfprintf", "n = print_list(stderr, reals[pick % 6], small);"),
    ("stdio.h", "puts", "n = puts(s) >= 0; puts(t);"),
    ("stdio.h", "fputs", "n = fputs(s, stderr) >= 0; fputs(t, stdout);"),
    ("stdio.h", "putchar", "n = putchar(c); putchar(i);"),
    ("stdio.h", "putc", "n = putc(c, stderr); (putc)(i, stdout);"),
    ("stdio.h", "fputc", "n = fputc(c, stderr); fputc(i, stdout);"),
    ("stdio.h", "fwrite", "n = fwrite(s, 2, strlen(s) / 2, stdout); fwrite(t, 1, strlen(t), stderr);"),
    ("stdio.h", "fflush", "n = fflush(stdout); fflush(stderr);"),
    // Standard input and the stream that is given hold random bytes.
    ("stdio.h", "getchar", "n = getchar();"),
    ("stdio.h", "getc", "n = getc(f);"),
    ("stdio.h", "fgetc", "n = fgetc(f); if (turn == 40) rewind(f);"),
    ("stdio.h", "ungetc", "n = fgetc(f); if (pick & 1) n = n * 300 + ungetc(n, f) + fgetc(f);"),
    ("stdio.h", "fgets", "char *got = fgets(s, size + 2, f); n = got ? digest(s) : -1;"),
    ("stdio.h", "fread", "n = fread(s, size % 4 + 1, size / 4, f); n = n * 1000 + (n ? s[n - 1] : 0);"),
    ("stdio.h", "feof", "n = feof(f) != 0; fgets(s, 4, f);"),
    ("stdio.h", "ferror", "n = fgetc(f) + ferror(f);"),
    ("stdio.h", "clearerr", "n = fgetc(f); clearerr(f); n += feof(f);"),
    ("stdio.h", "rewind", "n = fgetc(f) * 300 + fgetc(f); if (pick % 5 == 0) rewind(f);"),
    (
        "stdio.h",
        "fseek",
        "n = fseek(f, size, SEEK_SET) + fgetc(f); fseek(f, -2, SEEK_END); n = n * 300 + fgetc(f);",
    ),
    ("stdio.h", "ftell", "fgets(s, size + 2, f); n = ftell(f);"),
    ("stdio.h", "fclose", "n = fgetc(f); if (turn == CALLS - 1) n += fclose(f);"),
    ("stdio.h", "scanf", "int a = 0; char d = 0; n = scanf(\"%d%c\", &a, &d) * 31 + a + d;"),
    (
        "stdio.h",
        "fscanf",
        "int a = 0; n = fscanf(f, pick % 3 ? \"%3d\" : \"%*[^0-9]%n\", &a); n = n * 31 + a + fgetc(f);",
    ),
    ("stdio.h", "vscanf", "char w[8] = \"\"; n = read_list(NULL, \"%7s\", w) + digest(w);"),
    ("stdio.h", "vfscanf", "int a = 0; char d = 0; n = read_list(f, \"%d%c\", &a, &d) * 31 + a + d;"),
];

/// What all calls share.
pub(crate) const PREAMBLE: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 64 };

static unsigned long state;

static unsigned long next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) ^ (state >> 11 << 32);
}

static double unit(void) { return (double)(next() % 1000003) / 1000003; }

static const double special[] = {
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 10.0, 3.0, 1e308, -1e308, 4.9e-324, 2.2250738585072014e-308, 0.1, 0.75,
    HUGE_VAL, -HUGE_VAL, 1024.0, 709.5, -745.5,
};

static double real(void)
{
    union { unsigned long bits; double number; } any;
    switch (next() % 8) {
    case 0:
        any.bits = next();
        return any.number;
    case 1:
        return special[next() % (sizeof special / sizeof *special)];
    case 2:
        return (double)(long)(next() % 41) - 20;
    case 3:
        return unit() * 2 - 1;
    case 4:
        return unit() * 2000 - 1000;
    default:
        return unit() * 20 - 10;
    }
}

static float single(void)
{
    union { unsigned bits; float number; } any;
    if (next() % 8 == 0) {
        any.bits = next();
        return any.number;
    }
    double x = real();
    return fabs(x) < 1e38 ? x : 0.25f;
}

static void text(char *s)
{
    unsigned long length = next() % 10;
    for (unsigned long at = 0; at < length; at++) s[at] = "abcdB Z-1\t\xe9"[next() % 11];
}

static void number(char *s)
{
    memset(s, 0, 40);
    unsigned long length = next() % 18;
    for (unsigned long at = 0; at < length; at++) s[at] = "0123456789+-.e x7a"[next() % (at % 4 ? 11 : 18)];
}

/* Not all libraries know that `1e` is no number, and no prefix of one is. */
static void tailless(char *s)
{
    for (; *s; s++)
        if (*s == 'e' || *s == 'x') *s = '4';
}

static long digest(const char *s)
{
    long n = 7;
    while (*s) n = (n * 31 + *s++) % 1000000007;
    return n;
}

static int sign(int n) { return (n > 0) - (n < 0); }
static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

static const char *const formats[] = {
    "%d|%ld|%s", "%5d,%-8lx%.3s", "%05i %lu [%8s]", "%+d%lo%s", "%#x %ld%%%-4s|", "%.4d %+ld %s",
};
static const char *const reals[] = { "%f", "%.3e", "%g", "%10.2f|", "%.1f %%", "%-12.5g." };
static const char *const scans[] = { "%d%c%f", "%x %c%f", "%3d%c %f", "%i,%c%f" };

static char wide[400];

static long with_list(char *to, unsigned long size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    long n = to ? vsnprintf(to, size, format, list) : vsprintf(wide, format, list);
    va_end(list);
    return n;
}

static long print_list(FILE *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    long n = to ? vfprintf(to, format, list) : vprintf(format, list);
    va_end(list);
    return n;
}

static long read_list(FILE *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    long n = from ? vfscanf(from, format, list) : vscanf(format, list);
    va_end(list);
    return n;
}

static long scan_list(const char *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    long n = vsscanf(from, format, list);
    va_end(list);
    return n;
}
"#;

/// A function that makes many calls, each with new inputs. Those that read get a stream.
pub(crate) fn function(call: &Call) -> String {
    let mut words = call.code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let stream = if words.any(|word| word == "f") { ", FILE *f" } else { "" };
    format!(
        r#"
void try_{name}(unsigned long seed, double *rs, long *ns{stream})
{{
    state = seed;
    for (int turn = 0; turn < CALLS; turn++) {{
        double x = real(), y = real(), small = unit() * 2000000 - 1000000, r = 0;
        float p = single(), q = single();
        int i = (int)(next() % 41) - 20, c = (int)(next() % 257) - 1, base = next() % 5 * 4, size = next() % 12;
        long k = (long)(next() % 2000003) - 1000001, n = 0;
        unsigned pick = next() % 1000;
        char s[40] = "", t[40] = "";
        text(s), text(t);
        {{ {code} }}
        rs[turn] = r;
        ns[turn] = n;
    }}
}}
"#,
        name = call.function,
        code = call.code
    )
}
