/* Narrow types: promotion, truncation, characters above 0x7f, and _Bool. */
#include <stdbool.h>

int is_high(char c)
{
    return c < 0;
}

unsigned char next(unsigned char c)
{
    return c + 1;
}

short average(short a, short b)
{
    return (a + b) / 2;
}

signed char negate(signed char c)
{
    return -c;
}

bool differ(bool a, bool b)
{
    return a != b;
}

bool both(bool a, int n)
{
    bool ok = a && n > 3;
    return ok;
}
