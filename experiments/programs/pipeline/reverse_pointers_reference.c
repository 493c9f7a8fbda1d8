/* Copies an array in reverse order, with pointers.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 24. The reference: nothing is wrong here. */

void reverse(int *to, const int *from, int n)
{
    const int *last = from + n;

    for (int i = 0; i < n; i++)
        *to++ = *--last;
}
