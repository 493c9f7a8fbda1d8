/* What is printed is one text, whatever has made it. */
#include <stdarg.h>
#include <stdio.h>

/* Two numbers that look the same are the same. */
void price(double euros)
{
    printf("%.1f", euros * 2);  //~ 6 killed
    putchar('\n');  //~ 3 killed
}

static int note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vprintf(format, list);
    va_end(list);
    return length;  //~ 3 killed
}

int both(int x, char c)
{
    return note("%d%c", x, c) + 1;  //~ 12 killed
}

/* The result of printing is used. */
int indented(signed char n)
{
    int length = printf("[%3d]", n);  //~ 3 killed
    return length > 5 ? length : 0;  //~ 15 killed; limited: 19 `>` -> `!=`
}

int worse(int n)
{
    const char *what = n > 1 ? "errors" : "error";  //~ 10 killed
    return fputs(what, stderr) >= 0;  //~ 0 killed; equivalent: 35 `0` -> `-1`; open: 35 `0` -> `1` (not confirmed: the mutant comes to a result that depends on what C leaves open)
}

/* A formatter of one's own. */
int label(char out[12], unsigned char id, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = snprintf(out, 12, "%u:", id);  //~ 4 killed; open: 32 `12` -> `13` (a pointer that is made of other things than pointers (line 44)), 32 `12` -> `11` (a pointer that is made of other things than pointers (line 44))
    length += vsnprintf(out + length, 12 - length, format, list);  //~ 16 killed; open: 39 `12` -> `0` (the C library comes to something unknown: size that no object has (line 45))
    va_end(list);
    return length;  //~ 3 killed
}

int named(char out[12], unsigned char id, int x)
{
    return label(out, id, "<%d>", x);  //~ 6 killed
}
