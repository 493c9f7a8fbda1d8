/* isxdigit: whether a character is a hexadecimal digit.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 5. The planted error: the last range is joined
 * by ||, so that everything is a digit. */

int __isxdigit_ascii(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' || c <= 'f');
}
