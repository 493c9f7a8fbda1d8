/* Finds the first byte with a value in a block of memory. */
#include <stddef.h>

const void *find_byte(const void *block, int value, size_t n)
{
    const unsigned char *p = block;
    for (size_t i = 0; i < n; i++) {  //~ 13 killed; equivalent: 26 `<` -> `!=`
        if (p[i] == (unsigned char)value)  //~ 11 killed
            return p + i;  //~ 3 killed
    }
    return NULL;
}
