/* Reverses an array, in its place.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 23. The planted error: the two elements in the
 * middle are ignored. */

void reverse(int *a, int n)
{
    for (int i = 0, j = n - 1; i + 1 < j; i++, j--) {
        int element = a[i];

        a[i] = a[j];
        a[j] = element;
    }
}
