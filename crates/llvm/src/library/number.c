/* Integers, and strings that are numbers. */

enum { INVALID = 22, OUT_OF_RANGE = 34 }; /* EINVAL and ERANGE, as on Linux. */

static int errno;

int *__errno_location(void) {
    return &errno;
}

/* So musl calls it. */
int *___errno_location(void) {
    return &errno;
}

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

div_t div(int a, int b) { return (div_t){ a / b, a % b }; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){ a / b, a % b }; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){ a / b, a % b }; }

static int is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value of a digit; 36 if it is none. */
static unsigned digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 36;
}

struct parsed {
    unsigned long magnitude;
    _Bool negative, overflow, invalid;
};

static struct parsed parse(const char *s, char **end, int base) {
    struct parsed parsed = { 0, 0, 0, 0 };
    const char *at = s, *last = s;
    if (base < 0 || base == 1 || base > 36) {
        parsed.invalid = 1;
        return parsed;
    }
    while (is_space(*at)) at++;
    if (*at == '-' || *at == '+') parsed.negative = *at++ == '-';
    _Bool prefixed = *at == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16;
    if ((base == 0 || base == 16) && prefixed) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (; digit(*at) < (unsigned)base; last = ++at) {
        unsigned value = digit(*at);
        if (parsed.magnitude > (ULONG_MAX - value) / base) parsed.overflow = 1;
        else parsed.magnitude = parsed.magnitude * base + value;
    }
    if (end != NULL) *end = (char *)last;
    return parsed;
}

long strtol(const char *restrict s, char **restrict end, int base) {
    struct parsed parsed = parse(s, end, base);
    if (parsed.invalid) {
        errno = INVALID;
        return 0;
    }
    unsigned long most = (unsigned long)LONG_MAX + parsed.negative;
    if (parsed.overflow || parsed.magnitude > most) {
        errno = OUT_OF_RANGE;
        return parsed.negative ? LONG_MIN : LONG_MAX;
    }
    return (long)(parsed.negative ? 0 - parsed.magnitude : parsed.magnitude);
}

unsigned long strtoul(const char *restrict s, char **restrict end, int base) {
    struct parsed parsed = parse(s, end, base);
    if (parsed.invalid) {
        errno = INVALID;
        return 0;
    }
    if (parsed.overflow) {
        errno = OUT_OF_RANGE;
        return ULONG_MAX;
    }
    return parsed.negative ? 0 - parsed.magnitude : parsed.magnitude;
}

long long strtoll(const char *restrict s, char **restrict end, int base) { return strtol(s, end, base); }
unsigned long long strtoull(const char *restrict s, char **restrict end, int base) { return strtoul(s, end, base); }
long strtoimax(const char *restrict s, char **restrict end, int base) { return strtol(s, end, base); }
unsigned long strtoumax(const char *restrict s, char **restrict end, int base) { return strtoul(s, end, base); }

/* The names that newer headers of glibc redirect to. Binary numbers are C23's, and those headers ask for them only
 * when the program does. */
long __isoc23_strtol(const char *restrict s, char **restrict end, int base) { return strtol(s, end, base); }
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end, int base) { return strtoul(s, end, base); }
long long __isoc23_strtoll(const char *restrict s, char **restrict end, int base) { return strtol(s, end, base); }
unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict end, int base) {
    return strtoul(s, end, base);
}

int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
long long atoll(const char *s) { return strtol(s, NULL, 10); }
