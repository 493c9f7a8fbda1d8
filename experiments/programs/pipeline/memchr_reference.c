/* memchr: the first byte of a block of memory that has a value.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 6. The reference: nothing is wrong here. */
#include <stddef.h>

void *memchr(const void *block, int value, size_t n)
{
    const unsigned char *p = block;

    while (n-- > 0)
        if (*p++ == (unsigned char)value)
            return (void *)(p - 1);
    return NULL;
}
