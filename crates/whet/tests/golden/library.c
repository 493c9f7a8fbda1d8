/* What is printed is observed, and to exit is to stop. */
#include <stdio.h>
#include <stdlib.h>

int checked(int x)
{
    if (x < 0) {  //~ 7 killed; equivalent: 9 `x` -> `(x + 1)`, 9 `x` -> `0`, 13 `0` -> `-1`
        printf("negative\n");
        exit(1);  //~ 0 killed; equivalent: 14 `1` -> `2`, 14 `1` -> `0`
    }
    return x + 1;  //~ 9 killed
}

int likely(int x)
{
    if (__builtin_expect(x > 100, 0))  //~ 9 killed; equivalent: 28 `>` -> `>=`, 30 `100` -> `99`
        return 100;  //~ 3 killed
    return x;  //~ 3 killed
}
