/* What we do not execute leaves its mutants open, with the reason; the rest of the file goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = 0;  //~ 0 killed; open: 17 `0` -> `1` (the number of arguments varies (line 6)), 17 `0` -> `-1` (the number of arguments varies (line 6))
    while (n-- > 0)  //~ 0 killed; open: 13 `--` -> `++` (the number of arguments varies (line 6)), 16 `>` -> `<` (the number of arguments varies (line 6)), 16 `>` -> `<=` (the number of arguments varies (line 6)), 16 `>` -> `>=` (the number of arguments varies (line 6)), 16 `>` -> `==` (the number of arguments varies (line 6)), 16 `>` -> `!=` (the number of arguments varies (line 6)), 18 `0` -> `1` (the number of arguments varies (line 6)), 18 `0` -> `-1` (the number of arguments varies (line 6))
        total += va_arg(list, int);  //~ 0 killed; open: 15 `+=` -> `-=` (the number of arguments varies (line 6)), 15 `+=` -> `*=` (the number of arguments varies (line 6)), 15 `+=` -> `/=` (the number of arguments varies (line 6)), 15 `+=` -> `%=` (the number of arguments varies (line 6))
    va_end(list);
    return total;  //~ 0 killed; open: 12 `total` -> `(total + 1)` (the number of arguments varies (line 6)), 12 `total` -> `(total - 1)` (the number of arguments varies (line 6)), 12 `total` -> `0` (the number of arguments varies (line 6))
}

int assembly(int x)
{
    __asm__("nop");
    return x + 1;  //~ 0 killed; open: 12 `x` -> `(x + 1)` (inline assembly (line 19)), 12 `x` -> `(x - 1)` (inline assembly (line 19)), 12 `x` -> `0` (inline assembly (line 19)), 14 `+` -> `-` (inline assembly (line 19)), 14 `+` -> `*` (inline assembly (line 19)), 14 `+` -> `/` (inline assembly (line 19)), 14 `+` -> `%` (inline assembly (line 19)), 16 `1` -> `2` (inline assembly (line 19)), 16 `1` -> `0` (inline assembly (line 19))
}

int lines(FILE *file)
{
    int n = 0;  //~ 0 killed; open: 13 `0` -> `1` (parameter `file` is a stream (`FILE *`) (line 23)), 13 `0` -> `-1` (parameter `file` is a stream (`FILE *`) (line 23))
    while (fgetc(file) != EOF)  //~ 0 killed; open: 24 `!=` -> `<` (parameter `file` is a stream (`FILE *`) (line 23)), 24 `!=` -> `<=` (parameter `file` is a stream (`FILE *`) (line 23)), 24 `!=` -> `>` (parameter `file` is a stream (`FILE *`) (line 23)), 24 `!=` -> `>=` (parameter `file` is a stream (`FILE *`) (line 23)), 24 `!=` -> `==` (parameter `file` is a stream (`FILE *`) (line 23)), 27 `EOF` -> `0` (parameter `file` is a stream (`FILE *`) (line 23)), 27 `EOF` -> `-2` (parameter `file` is a stream (`FILE *`) (line 23))
        n++;  //~ 0 killed; open: 10 `++` -> `--` (parameter `file` is a stream (`FILE *`) (line 23))
    return n;  //~ 0 killed; open: 12 `n` -> `(n + 1)` (parameter `file` is a stream (`FILE *`) (line 23)), 12 `n` -> `(n - 1)` (parameter `file` is a stream (`FILE *`) (line 23)), 12 `n` -> `0` (parameter `file` is a stream (`FILE *`) (line 23))
}

unsigned long address(int *p)
{
    return (unsigned long)p + 1;  //~ 0 killed; open: 29 `+` -> `-` (an address is used as a number (line 33)), 29 `+` -> `*` (an address is used as a number (line 33)), 29 `+` -> `/` (an address is used as a number (line 33)), 29 `+` -> `%` (an address is used as a number (line 33)), 31 `1` -> `2` (an address is used as a number (line 33)), 31 `1` -> `0` (an address is used as a number (line 33))
}

int plain(int x)
{
    return x + 1;  //~ 9 killed
}
