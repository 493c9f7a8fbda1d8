/* Library functions are not executed yet, and a path that avoids them is settled all the same. */
#include <stdio.h>
#include <stdlib.h>

int checked(int x)
{
    if (x < 0) {  //~ 0 killed; open: 9 `x` -> `(x + 1)` (a call to `printf`, which has no body (line 8)), 9 `x` -> `(x - 1)` (a call to `printf`, which has no body (line 8)), 9 `x` -> `0` (a call to `printf`, which has no body (line 8)), 11 `<` -> `<=` (a call to `printf`, which has no body (line 8)), 11 `<` -> `>` (a call to `printf`, which has no body (line 8)), 11 `<` -> `>=` (a call to `printf`, which has no body (line 8)), 11 `<` -> `==` (a call to `printf`, which has no body (line 8)), 11 `<` -> `!=` (a call to `printf`, which has no body (line 8)), 13 `0` -> `1` (a call to `printf`, which has no body (line 8)), 13 `0` -> `-1` (a call to `printf`, which has no body (line 8))
        printf("negative\n");
        exit(1);  //~ 0 killed; open: 14 `1` -> `2` (a call to `printf`, which has no body (line 8)), 14 `1` -> `0` (a call to `printf`, which has no body (line 8))
    }
    return x + 1;  //~ 9 killed
}

int likely(int x)
{
    if (__builtin_expect(x > 100, 0))  //~ 9 killed; equivalent: 28 `>` -> `>=`, 30 `100` -> `99`
        return 100;  //~ 3 killed
    return x;  //~ 3 killed
}
