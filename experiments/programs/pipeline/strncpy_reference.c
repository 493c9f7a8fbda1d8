/* strncpy: copies a text into a field of n characters, and fills the rest with zeros.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 9. The reference: nothing is wrong here. */
#include <stddef.h>

char *strncpy(char *to, const char *from, size_t n)
{
    char *end = to + n;

    while (end > to)
        *--end = '\0';
    for (size_t i = 0; i < n && from[i] != '\0'; i++)
        to[i] = from[i];
    return to;
}
