/* stpncpy: copies a text into a field of n characters, and returns where the copy ends.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 7. The reference: nothing is wrong here. */
#include <stddef.h>

char *stpncpy(char *to, const char *from, size_t n)
{
    while (n > 0 && *from != '\0') {
        *to++ = *from++;
        n--;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = '\0';
    return to;
}
