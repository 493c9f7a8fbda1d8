/* Whether a number is a prime.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 20. The planted error: the square root of the
 * number is not considered. */

int is_prime(int n)
{
    if (n < 2)
        return 0;
    for (int i = 2; i * i < n; i++)
        if (n % i == 0)
            return 0;
    return 1;
}
