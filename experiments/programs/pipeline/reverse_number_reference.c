/* A number with its digits in reverse order.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 22. The reference: nothing is wrong here. */

int reverse(int n)
{
    int reversed = 0;

    while (n > 0) {
        reversed = reversed * 10 + n % 10;
        n /= 10;
    }
    return reversed;
}
