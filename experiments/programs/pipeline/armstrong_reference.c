/* Whether a number is the sum of the cubes of its digits (an Armstrong number).
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 18. The reference: nothing is wrong here. */

int is_armstrong(int n)
{
    int sum = 0;

    for (int rest = n; rest > 0; rest /= 10) {
        int digit = rest % 10;

        sum += digit * digit * digit;
    }
    return sum == n;
}
