/* A number with its digits in reverse order.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 22. The planted error: the last digit that is
 * left is ignored if it is a 1. */

int reverse(int n)
{
    int reversed = 0;

    while (n > 1) {
        reversed = reversed * 10 + n % 10;
        n /= 10;
    }
    return reversed;
}
