/* Compares at most n characters of two strings, as unsigned characters. */
#include <stddef.h>

int string_compare(const char *a, const char *b, size_t n)
{
    while (n > 0 && *a != '\0' && *a == *b) {  //~ 20 killed; equivalent: 14 `>` -> `!=`, 16 `0` -> `1`
        a++;
        b++;
        n--;  //~ 1 killed
    }
    if (n == 0)  //~ 9 killed; equivalent: 11 `==` -> `<=`
        return 0;  //~ 2 killed
    return (unsigned char)*a - (unsigned char)*b;  //~ 4 killed
}
