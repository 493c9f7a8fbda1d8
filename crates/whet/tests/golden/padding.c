/* Between the fields of a struct that a test initialises there are zeros. */
#include <string.h>

struct mixed {
    char letter;
    int number;
};

int same(const struct mixed *a, const struct mixed *b)
{
    return memcmp(a, b, sizeof *a) == 0;  //~ 7 killed
}

int gap(struct mixed by_value)
{
    return memcmp((const char *)&by_value + 1, "\0\0", 3) == 0;  //~ 8 killed; limited: 56 `3` -> `2`, 56 `3` -> `0`, 59 `==` -> `<=`, 59 `==` -> `>=`
}
