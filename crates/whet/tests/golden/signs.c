/* C promises the sign of a comparison, and no more. Tests look at the sign, and no kill rests on the size. */
#include <string.h>

int is_before(const char *a, const char *b)
{
    return strcmp(a, b) < 0;  //~ 6 killed; open: 27 `0` -> `-1` (not confirmed: the mutant comes to a result that depends on what C leaves open)
}

int compare(const char *a, const char *b)
{
    return strcmp(a, b);
}

/* Twice as much is of the same sign, and so is one more or less of what is large. */
int starts(const char *a, const char *b)
{
    return 2 * strncmp(a, b, 2);  //~ 8 killed; open: 12 `2` -> `3` (not confirmed: the difference is in a result that depends on what C leaves open), 12 `2` -> `1` (not confirmed: the difference is in a result that depends on what C leaves open)
}

int differ(const char *a, const char *b)
{
    return memcmp(a, b, 2) != 0;  //~ 10 killed
}
