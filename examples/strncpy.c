/* Copies at most n characters, and fills up with zeros. */
#include <stddef.h>

char *copy(char *to, const char *from, size_t n)
{
    size_t i;
    for (i = 0; i < n && from[i] != '\0'; i++)  //~ 23 killed; equivalent: 19 `<` -> `!=`
        to[i] = from[i];  //~ 6 killed
    for (; i < n; i++)  //~ 11 killed; equivalent: 14 `<` -> `!=`
        to[i] = '\0';  //~ 5 killed
    return to;
}
