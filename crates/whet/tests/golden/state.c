/* What one test leaves behind, and what ends a program: each test runs in a process of its own. */
#include <stdlib.h>

int next_ticket(int step)
{
    static int last = 5;
    last += step;  //~ 7 killed
    return last;  //~ 3 killed
}

int checked(int x)
{
    if (x == 2)  //~ 10 killed; equivalent: 9 `x` -> `0`
        exit(0);  //~ 0 killed; equivalent: 14 `0` -> `1`, 14 `0` -> `-1`
    return x;  //~ 3 killed
}
