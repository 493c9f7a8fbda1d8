/* The smallest element of an array; the greatest number if there is none.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 27. The reference: nothing is wrong here. */
#include <limits.h>

int smallest(const int *a, int n)
{
    int smallest = INT_MAX;

    for (int i = 0; i < n; i++)
        if (a[i] < smallest)
            smallest = a[i];
    return smallest;
}
