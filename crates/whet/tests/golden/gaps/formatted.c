/* Text made by a format, and read by one. Runs come to it; proofs cannot follow what the library does with its pointers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int label(char out[8], signed char n)
{
    return snprintf(out, 8, "<%d>", n);  //~ 4 killed; open: 26 `8` -> `9` (a pointer that is made of other things than pointers (line 8)), 26 `8` -> `7` (a pointer that is made of other things than pointers (line 8))
}

static int write_to(char *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, 6, format, list);  //~ 1 killed; 2 alone
    va_end(list);
    return length;  //~ 3 killed
}

int wrapped(char out[6], unsigned char n)
{
    return write_to(out, "%x", n);  //~ 3 killed
}

int digit_of(const char *text)
{
    return (int)(atof(text) * 10);  //~ 6 killed
}
