/* The greatest of three numbers.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 15. The reference: nothing is wrong here. */

int greatest(int a, int b, int c)
{
    int result = 0;

    if (a >= b && a >= c)
        result = a;
    if (b >= a && b >= c)
        result = b;
    if (c >= a && c >= b)
        result = c;
    return result;
}
