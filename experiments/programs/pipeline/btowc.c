/* btowc: the wide character of a byte, or WEOF if there is none.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 4. The planted error: 0 is not handled: a
 * decoder says that it has no length, which is taken for a mistake. */
#include <wchar.h>

/* The length of the character that a byte is (0 for the end of a text), or -1 if it is none. */
static int decode(wint_t *wide, unsigned char byte)
{
    if (byte >= 0x80)
        return -1;
    *wide = byte;
    return byte != 0;
}

wint_t btowc(int c)
{
    wint_t wide;

    if (c < 0 || c > 255)
        return WEOF;
    if (decode(&wide, (unsigned char)c) > 0)
        return wide;
    return WEOF;
}
