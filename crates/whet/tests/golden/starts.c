/* A file with nothing but `main` and static functions: a test calls `main`, by another name. */
#include <stdio.h>

static int total;

static void add(int x)
{
    if (x > 2)  //~ 11 killed
        total += x;  //~ 7 killed
}

int main(void)
{
    for (int i = 0; i < 5; i++)  //~ 11 killed; equivalent: 18 `0` -> `1`, 18 `0` -> `-1`, 23 `<` -> `!=`
        add(i);  //~ 3 killed
    printf("%d\n", total);  //~ 3 killed
    return total > 6 ? 0 : 1;  //~ 8 killed; equivalent: 12 `total` -> `(total + 1)`, 18 `>` -> `>=`, 18 `>` -> `!=`, 20 `6` -> `5`, 20 `6` -> `0`, 28 `1` -> `2`, 28 `1` -> `0`
}
