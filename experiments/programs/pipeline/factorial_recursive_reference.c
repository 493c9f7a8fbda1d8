/* The factorial of a number, with recursion; 1 for what has none.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 14. The reference: nothing is wrong here. */

int factorial(int n)
{
    if (n <= 0)
        return 1;
    if (n <= 2)
        return n;
    return n * factorial(n - 1);
}
