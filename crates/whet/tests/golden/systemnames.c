/* Names that the system has for something else. Tests that run in a process of their own, or catch what is printed, need the
 * system's headers all the same. */
#include <stdio.h>

static int level;

int read(int by)
{
    level += by;  //~ 7 killed
    return level;  //~ 3 killed
}

int write(int by)
{
    return read(by) - 1;  //~ 9 killed
}

int close(int x)
{
    putchar('a' + (x & 1));  //~ 17 killed
    return x;  //~ 3 killed
}

int pipe(int x)
{
    return x > 3;  //~ 11 killed
}

int dup(int x)
{
    return x + 2;  //~ 10 killed
}

int link(int x)
{
    return x & 4;  //~ 11 killed
}
