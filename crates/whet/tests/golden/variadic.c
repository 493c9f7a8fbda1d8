/* Variadic functions are ordinary code: their callers pass what `va_arg` reads. */
#include <stdarg.h>

static int vsum(int n, va_list list)
{
    int total = 0;  //~ 2 killed
    while (n-- > 0)  //~ 7 killed; equivalent: 16 `>` -> `!=`
        total += va_arg(list, int);  //~ 4 killed
    return total;  //~ 3 killed
}

static int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = vsum(n, list);  //~ 3 killed
    va_end(list);
    return total;  //~ 3 killed
}

int total(unsigned char a, int b)
{
    return sum(2, a, b & 15);  //~ 17 killed
}

/* The list goes by address, and so it goes on where the other function left it. */
static long next(char kind, va_list *list)
{
    switch (kind) {  //~ 3 killed
    case 'd':
        return va_arg(*list, int);
    case 'f':
        return (long)(va_arg(*list, double) * 2);  //~ 5 killed; equivalent: 45 `*` -> `+`
    default:
        return *va_arg(*list, const char *);
    }
}

static long mix(const char *kinds, ...)
{
    long mixed = 0;  //~ 2 killed
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        mixed = 3 * mixed + next(*kinds, &list);  //~ 14 killed
    va_end(list);
    return mixed;  //~ 3 killed
}

long kinds(int x)
{
    return mix("dfs", x & 7, 1.5, "A");  //~ 11 killed
}

/* Nobody passes it anything more. */
int first(int n, ...)
{
    va_list list;
    va_start(list, n);
    int given = n > 0 ? va_arg(list, int) : -1;  //~ 10 killed; limited: 17 `n` -> `0`, 21 `0` -> `1`
    va_end(list);
    return given;  //~ 3 killed
}
