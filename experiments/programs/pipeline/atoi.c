/* atoi: the number at the start of a text.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 2. The planted error: leading white space is not
 * skipped. */

int atoi(const char *s)
{
    int value = 0;
    int negative = 0;

    if (*s == '-' || *s == '+')
        negative = *s++ == '-';
    while (*s >= '0' && *s <= '9')
        value = 10 * value + (*s++ - '0');
    return negative ? -value : value;
}
