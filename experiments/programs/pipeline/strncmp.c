/* strncmp: compares at most n characters of two texts.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 8. The planted error: they are compared as
 * signed characters. */
#include <stddef.h>

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n > 0; a++, b++, n--) {
        int difference = (signed char)*a - (signed char)*b;

        if (difference != 0)
            return difference;
        if (*a == '\0')
            return 0;
    }
    return 0;
}
