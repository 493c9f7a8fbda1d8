/* A mutant that leaves a part of new memory unassigned: what a test reads there may be the right thing, by chance. */
#include <stdlib.h>
#include <string.h>

char *doubled(const char *s)
{
    size_t n = strlen(s);
    char *copy = malloc(2 * n + 1);  //~ 13 killed; limited: 25 `2` -> `3`, 29 `n` -> `(n + 1)`, 33 `1` -> `2`
    memcpy(copy, s, n);  //~ 2 killed; limited: 21 `n` -> `(n + 1)`
    memcpy(copy + n, s, n + 1);  //~ 12 killed
    return copy;
}
