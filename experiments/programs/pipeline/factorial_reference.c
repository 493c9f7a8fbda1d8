/* The factorial of a number, with a loop; 1 for what has none.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 13. The reference: nothing is wrong here. */

int factorial(int n)
{
    if (n <= 0)
        return 1;
    int product = n;

    while (n > 1)
        product *= --n;
    return product;
}
