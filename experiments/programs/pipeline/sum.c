/* The sum of all elements of an array.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 28. The planted error: the last element is
 * ignored. */

int sum(const int *a, int n)
{
    int sum = 0;

    for (int i = 0; i < n - 1; i++)
        sum += a[i];
    return sum;
}
