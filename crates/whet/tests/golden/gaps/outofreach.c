/* What we do not execute leaves its mutants open, with the reason; the rest of the file goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

/* No test passes arguments in the place of `...`, and nobody else calls it. */
int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = 0;  //~ 2 killed
    while (n-- > 0)  //~ 6 killed; limited: 13 `--` -> `++`, 18 `0` -> `1`
        total += va_arg(list, int);  //~ 0 killed; limited: 15 `+=` -> `-=`, 15 `+=` -> `*=`, 15 `+=` -> `/=`, 15 `+=` -> `%=`
    va_end(list);
    return total;  //~ 2 killed; limited: 12 `total` -> `0`
}

int assembly(int x)
{
    __asm__("nop");
    return x + 1;  //~ 0 killed; open: 12 `x` -> `(x + 1)` (inline assembly (line 20)), 12 `x` -> `(x - 1)` (inline assembly (line 20)), 12 `x` -> `0` (inline assembly (line 20)), 14 `+` -> `-` (inline assembly (line 20)), 14 `+` -> `*` (inline assembly (line 20)), 14 `+` -> `/` (inline assembly (line 20)), 14 `+` -> `%` (inline assembly (line 20)), 16 `1` -> `2` (inline assembly (line 20)), 16 `1` -> `0` (inline assembly (line 20))
}

int exists(const char *name)
{
    FILE *file = fopen(name, "r");
    return file != NULL;  //~ 0 killed; open: 17 `!=` -> `==` (a call to `fopen`, a function of the system that Whet does not know (line 26))
}

/* What a test would read back. */
void note(FILE *to, int n)
{
    fprintf(to, "%d", n);  //~ 0 killed; open: 23 `n` -> `(n + 1)` (not confirmed: the witness is not valid for the original: printing to a stream that a caller gives), 23 `n` -> `(n - 1)` (not confirmed: the witness is not valid for the original: printing to a stream that a caller gives), 23 `n` -> `0` (not confirmed: the witness is not valid for the original: printing to a stream that a caller gives)
}

unsigned long address(int *p)
{
    return (unsigned long)p + 1;  //~ 6 killed
}

int plain(int x)
{
    return x + 1;  //~ 9 killed
}
