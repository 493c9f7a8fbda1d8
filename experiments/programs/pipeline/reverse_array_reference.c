/* Reverses an array, in its place.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 23. The reference: nothing is wrong here. */

void reverse(int *a, int n)
{
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        int element = a[i];

        a[i] = a[j];
        a[j] = element;
    }
}
