/* Where the original calls exit, there is no test: a proof leaves such inputs out. */
#include <stdlib.h>

int checked(int a)
{
    if (a == 2)  //~ 10 killed; equivalent: 9 `a` -> `0`
        exit(3);  //~ 0 killed; equivalent: 14 `3` -> `4`, 14 `3` -> `2`, 14 `3` -> `0`
    return a;  //~ 3 killed
}
