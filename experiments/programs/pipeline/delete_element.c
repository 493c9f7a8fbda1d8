/* Deletes the element at a place from an array, and returns how many are left. Places begin with 1.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 12. The planted error: the wrong element is
 * deleted. */

int delete_element(int *a, int n, int place)
{
    if (place < 1 || place > n)
        return n;
    for (int i = place; i < n - 1; i++)
        a[i] = a[i + 1];
    return n - 1;
}
