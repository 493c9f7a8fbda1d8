/* Narrow types: promotion, truncation, characters above 0x7f, and _Bool. */
#include <stdbool.h>

int is_high(char c)
{
    return c < 0;  //~ 10 killed
}

unsigned char next(unsigned char c)
{
    return c + 1;  //~ 9 killed
}

short average(short a, short b)
{
    return (a + b) / 2;  //~ 16 killed
}

signed char negate(signed char c)
{
    return -c;  //~ 3 killed
}

bool differ(bool a, bool b)
{
    return a != b;  //~ 11 killed
}

bool both(bool a, int n)
{
    bool ok = a && n > 3;  //~ 14 killed
    return ok;  //~ 3 killed
}
