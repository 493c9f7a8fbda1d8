/* The sum of the marks in five subjects of 100 points each, as a percentage.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 29. The reference: nothing is wrong here. */

int percentage(int a, int b, int c, int d, int e)
{
    int sum = a + b + c + d + e;

    return sum * 100 / 500;
}
