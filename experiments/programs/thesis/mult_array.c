/* mult with arrays: the product C = A B of two 2x2 matrices, summed over the elements of C.
 *
 * From Heinz Riener's thesis (2011, section 5.3), written anew from its description: this is the program that the
 * paper's tool could not take. */

int mult(const int a[4], const int b[4])
{
    int sum = 0;

    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 2; column++)
            for (int k = 0; k < 2; k++)
                sum += a[2 * row + k] * b[2 * k + column];
    return sum;
}
