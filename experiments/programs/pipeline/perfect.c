/* Whether a number is the sum of its divisors but itself (a perfect number).
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 19. The planted error: half of the number is not
 * considered. */

int is_perfect(int n)
{
    int sum = 0;

    for (int i = 1; i < n / 2; i++)
        if (n % i == 0)
            sum += i;
    return n > 0 && sum == n;
}
