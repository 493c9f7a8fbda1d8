/* The sum of all elements of an array.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 28. The reference: nothing is wrong here. */

int sum(const int *a, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
