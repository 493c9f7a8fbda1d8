/* stpncpy: copies a text into a field of n characters, and returns where the copy ends.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 7. The planted error: the rest of the field is
 * not filled with zeros. */
#include <stddef.h>

char *stpncpy(char *to, const char *from, size_t n)
{
    while (n > 0 && *from != '\0') {
        *to++ = *from++;
        n--;
    }
    if (n > 0)
        *to = '\0';
    return to;
}
