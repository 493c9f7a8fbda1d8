/* Reads a number at the start of a text. */
#include <ctype.h>

int number(const char *text)
{
    int sign = 1;  //~ 2 killed
    int value = 0;  //~ 2 killed
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '-' || *text == '+') {  //~ 16 killed
        if (*text == '-')  //~ 7 killed; equivalent: 19 `==` -> `>=`
            sign = -1;  //~ 2 killed
        text++;
    }
    while (*text >= '0' && *text <= '9') {  //~ 16 killed
        value = 10 * value + (*text - '0');  //~ 20 killed; equivalent: 37 `-` -> `%`
        text++;
    }
    return sign * value;  //~ 10 killed
}
