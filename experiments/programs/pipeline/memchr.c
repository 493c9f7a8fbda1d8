/* memchr: the first byte of a block of memory that has a value.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 6. The planted error: the pointer is already
 * advanced when it is returned. */
#include <stddef.h>

void *memchr(const void *block, int value, size_t n)
{
    const unsigned char *p = block;

    while (n-- > 0)
        if (*p++ == (unsigned char)value)
            return (void *)p;
    return NULL;
}
