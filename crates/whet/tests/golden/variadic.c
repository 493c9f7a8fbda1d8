/* Variadic functions are ordinary code: their callers pass what `va_arg` reads. */
#include <stdarg.h>

static int vsum(int n, va_list list)
{
    int total = 0;
    while (n-- > 0)
        total += va_arg(list, int);
    return total;
}

static int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = vsum(n, list);
    va_end(list);
    return total;
}

int total(unsigned char a, int b)
{
    return sum(2, a, b & 15);
}

/* The list goes by address, and so it goes on where the other function left it. */
static long next(char kind, va_list *list)
{
    switch (kind) {
    case 'd':
        return va_arg(*list, int);
    case 'f':
        return (long)(va_arg(*list, double) * 2);
    default:
        return *va_arg(*list, const char *);
    }
}

static long mix(const char *kinds, ...)
{
    long mixed = 0;
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        mixed = 3 * mixed + next(*kinds, &list);
    va_end(list);
    return mixed;
}

long kinds(int x)
{
    return mix("dfs", x & 7, 1.5, "A");
}

/* Nobody passes it anything more. */
int first(int n, ...)
{
    va_list list;
    va_start(list, n);
    int given = n > 0 ? va_arg(list, int) : -1;
    va_end(list);
    return given;
}
