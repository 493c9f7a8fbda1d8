/* Static functions that are only called through pointers, and that no caller can get hold of. */
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);  //~ 19 killed; 7 alone
}

void *sorted(int *three)
{
    qsort(three, 3, sizeof *three, by_value);  //~ 3 killed
    return three;
}

static int increment(int x)
{
    return x + 1;  //~ 9 killed
}

static int ten(int x)
{
    (void)x;  //~ 0 killed; equivalent: 11 `x` -> `(x + 1)`, 11 `x` -> `(x - 1)`, 11 `x` -> `0`
    return 10;  //~ 3 killed
}

static int (*table[])(int) = { increment, ten };

int (*unused)(int);

int run(int which, int x)
{
    return table[which > 0](x);  //~ 13 killed
}
