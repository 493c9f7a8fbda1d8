/* Whether a number is a prime.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 20. The reference: nothing is wrong here. */

int is_prime(int n)
{
    if (n < 2)
        return 0;
    for (int i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return 1;
}
