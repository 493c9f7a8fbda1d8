/* Copies a string into a field of n characters, and fills what is left with zeros. */
#include <stddef.h>

char *copy_field(char *to, const char *from, size_t n)
{
    size_t i = 0;  //~ 2 killed
    while (i < n && from[i] != '\0') {  //~ 20 killed; equivalent: 14 `<` -> `!=`
        to[i] = from[i];  //~ 6 killed
        i++;  //~ 1 killed
    }
    char *end = to + i;  //~ 3 killed
    while (i < n)  //~ 10 killed; equivalent: 14 `<` -> `!=`
        to[i++] = '\0';  //~ 3 killed
    return end;
}
