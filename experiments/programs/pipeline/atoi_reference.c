/* atoi: the number at the start of a text.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 2. The reference: nothing is wrong here. */

int atoi(const char *s)
{
    int value = 0;
    int negative = 0;

    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+')
        negative = *s++ == '-';
    while (*s >= '0' && *s <= '9')
        value = 10 * value + (*s++ - '0');
    return negative ? -value : value;
}
