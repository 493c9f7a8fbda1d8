/* The place of the first element of an array that has a value, or -1.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 25. The reference: nothing is wrong here. */

int search(const int *a, int n, int value)
{
    for (int i = 0; i < n; i++)
        if (a[i] == value)
            return i;
    return -1;
}
