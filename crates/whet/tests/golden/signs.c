/* C promises the sign of a comparison, and no more. Tests look at the sign, and no kill rests on the size. */
#include <string.h>

int is_before(const char *a, const char *b)
{
    return strcmp(a, b) < 0;  //~ 7 killed
}

int compare(const char *a, const char *b)
{
    return strcmp(a, b);
}

/* Twice as much is of the same sign, and so is one more or less of what is large. */
int starts(const char *a, const char *b)
{
    return 2 * strncmp(a, b, 2);  //~ 10 killed
}

int differ(const char *a, const char *b)
{
    return memcmp(a, b, 2) != 0;  //~ 10 killed
}
