//! The C library: our bodies, called as a program calls them.

use ir::{Fault, Outcome};

use super::{check, check_fault, lifted, outcome};

/// An expression with the headers before it.
fn with_headers(expression: &str) -> String {
    let headers = "#include <string.h>\n#include <strings.h>\n#include <ctype.h>\n#include <stdlib.h>\n#include <errno.h>\n";
    format!(
        "#define _GNU_SOURCE\n{headers}int f(int a) {{ char s[16] = \"a,bc,,d\", t[16] = \"xyz\"; (void)t; return {expression}; }}"
    )
}

fn check_expression(expression: &str, expect: i128) {
    check(&with_headers(expression), &[3], expect);
}

#[test]
fn strings() {
    for (expression, expect) in [
        ("strlen(s)", 7),
        ("strnlen(s, 3)", 3),
        ("strcmp(s, t) < 0", 1),
        ("strcmp(s, s)", 0),
        ("strncmp(s, \"a,x\", 2)", 0),
        ("strcasecmp(\"HeLLo\", \"hEllO\")", 0),
        ("strncasecmp(\"HeLLo\", \"hElp\", 3)", 0),
        ("memcmp(s, \"a,b\", 3)", 0),
        ("strchr(s, 'b') - s", 2),
        ("strchr(s, 0) - s", 7),
        ("strchr(s, 'q') == 0", 1),
        ("strrchr(s, ',') - s", 5),
        ("strstr(s, \"c,\") - s", 3),
        ("strspn(s, \"ab,\")", 3),
        ("strcspn(s, \"cd\")", 3),
        ("strpbrk(s, \"dc\") - s", 3),
        ("(char *)memchr(s, ',', 7) - s", 1),
        ("strcpy(t, s)[6]", 'd' as i128),
        ("strcat(t, \"12\")[4]", '2' as i128),
        ("strncat(t, \"123\", 1)[4]", 0),
        ("strncpy(t, \"q\", 3)[2]", 0),
        ("stpcpy(t, \"pq\") - t", 2),
        ("stpncpy(t, \"pq\", 5) - t", 2),
        (
            "strtok(s, \",\")[0] + strtok(0, \",\")[1] + strtok(0, \",\")[0] + !strtok(0, \",\")",
            97 + 99 + 100 + 1,
        ),
        ("({ char *r = s; strsep(&r, \",\"); strsep(&r, \",\"); *strsep(&r, \",\"); })", 0),
        ("({ char *r; strtok_r(s, \",\", &r); strtok_r(0, \",\", &r)[1]; })", 'c' as i128),
        ("strdup(s)[6]", 'd' as i128),
        ("((char *)memmove(s + 1, s, 4))[3]", 'c' as i128),
        ("((char *)memset(s, 'z', a))[2]", 'z' as i128),
    ] {
        check_expression(expression, expect);
    }
}

#[test]
fn characters_and_numbers() {
    for (expression, expect) in [
        (
            "!!isalpha('a') + !!isdigit('5') + !!isspace(' ') + !!isupper('a') + !!isxdigit('F') + !!ispunct('!')",
            5,
        ),
        ("(isalnum)('_') + !!(isprint)('~')", 1),
        ("toupper('q') + tolower('Q') + toupper('-')", 'Q' as i128 + 'q' as i128 + '-' as i128),
        ("!!isalpha(-1)", 0),
        ("abs(-3) + labs(-4) + llabs(-5)", 12),
        ("atoi(\" -42x\")", -42),
        ("strtol(\"0x1f\", 0, 16) + strtol(\"017\", 0, 0) + strtol(\"z\", 0, 36)", 31 + 15 + 35),
        ("({ char *e; strtol(\"12ab\", &e, 10); *e; })", 'a' as i128),
        ("({ char *e; strtol(s + 2, &e, 10); e - s; })", 2),
        ("({ errno = 0; strtol(\"99999999999999999999\", 0, 10) == __LONG_MAX__ && errno == ERANGE; })", 1),
        ("strtoul(\"-1\", 0, 10) == -1ul", 1),
        ("div(7, 2).rem + ldiv(7, 2).quot", 4),
    ] {
        check_expression(expression, expect);
    }
}

#[test]
fn the_heap() {
    for (expression, expect) in [
        ("({ int *p = malloc(8); p[1] = a; int r = p[1]; free(p); r; })", 3),
        ("({ int *p = calloc(2, 4); p[1]; })", 0),
        ("({ char *p = malloc(2); p[0] = a; p = realloc(p, 9); p[8] = 1; p[0] + p[8]; })", 4),
        (
            "({ int t[] = {3, 1, 2}; int less(const void *x, const void *y); qsort(t, 3, 4, less); t[0] * 100 + t[1] * 10 + t[2]; })",
            123,
        ),
    ] {
        let less = "\nint less(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }";
        check(&(with_headers(expression) + less), &[3], expect);
    }
    let fault = |expression: &str, fault| {
        let c = with_headers(expression).replace("return", "\nreturn");
        let column = c.lines().last().and_then(|line| line.find('@')).expect("the place is marked") + 1;
        check_fault(&c.replace('@', ""), &[3], fault, &format!("8:{column}"));
    };
    fault("({ char *p = malloc(1); free(p); @free(p); 0; })", Fault::InvalidFree);
    fault("({ char *p = malloc(1); free(p); @*p; })", Fault::Dangling);
    fault("({ char u[2] = {1, 2}; @strlen(u); })", Fault::OutOfBounds);
    fault("({ @memcpy(s + 1, s, 3); 0; })", Fault::OverlappingCopy);
    fault("({ @strlen(0); })", Fault::NullAccess);
    fault("({ char c = -3; @(isalpha)(c); })", Fault::Stray);
    // All bytes of the two must be there, and there must be an object even where no byte of it is wanted.
    fault("({ char u[2] = {1, 2}; @memcmp(u, \"x\", 3); })", Fault::OutOfBounds);
    for call in [
        "memcmp(s, z, 0)",
        "strncmp(z, s, 0)",
        "(int)memchr(z, 1, 0)",
        "(int)strnlen(z, 0)",
        "(int)strncpy(s, z, 0)",
        "(int)memcpy(z, s, a - 3)",
        "(int)memset(z, 0, a - 3)",
        "(qsort(z, 0, 1, 0), 1)",
    ] {
        let c = with_headers(&format!("({{ char *z = 0; {call}; }})"));
        let outcome = outcome(&lifted(&c).program, "f", &[3]);
        assert!(matches!(outcome, Outcome::Faulted(Fault::NullArgument, _)), "{call}: {outcome:?}");
    }
    fault("({ @abort(); 1; })", Fault::Abort);
    fault("({ @exit(1); 1; })", Fault::Exit);
}
