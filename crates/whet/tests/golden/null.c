//~ flags: --operators default
/* Null comes before every object, though C does not say so: compilers compare addresses. */
#include <stddef.h>

int is_there(const char *p)
{
    return p > (const char *)NULL;  //~ 3 killed; equivalent: 14 `>` -> `!=`
}

int first(const int *p, int otherwise)
{
    if (p <= (const int *)NULL)  //~ 3 killed; equivalent: 11 `<=` -> `==`
        return otherwise;  //~ 5 killed
    return *p;  //~ 5 killed
}

/* Both may be null, or both in one buffer. */
int rest(const char *p, const char *end)
{
    int count = 0;  //~ 2 killed
    while (p < end) {  //~ 4 killed
        p++;  //~ 1 killed
        count++;  //~ 2 killed
    }
    return count;  //~ 4 killed
}
