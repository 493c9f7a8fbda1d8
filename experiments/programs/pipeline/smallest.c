/* The smallest element of an array; the greatest number if there is none.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 27. The planted error: the first element is not
 * considered. */
#include <limits.h>

int smallest(const int *a, int n)
{
    int smallest = INT_MAX;

    for (int i = 1; i < n; i++)
        if (a[i] < smallest)
            smallest = a[i];
    return smallest;
}
