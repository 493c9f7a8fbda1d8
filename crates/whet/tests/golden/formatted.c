/* Text made by a format, and read by one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int label(char out[8], signed char n)
{
    return snprintf(out, 8, "<%d>", n);
}

static int write_to(char *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, 6, format, list);
    va_end(list);
    return length;
}

int wrapped(char out[6], unsigned char n)
{
    return write_to(out, "%x", n);
}

int digit_of(const char *text)
{
    return (int)(atof(text) * 10);
}
