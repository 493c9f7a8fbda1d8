/* Inserts an element into an array that has room for it, and returns how many there are. Places begin with 1.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 17. The reference: nothing is wrong here. */

int insert_element(int *a, int n, int element, int place)
{
    if (place < 1 || place > n + 1)
        return n;
    for (int i = n; i >= place; i--)
        a[i] = a[i - 1];
    a[place - 1] = element;
    return n + 1;
}
