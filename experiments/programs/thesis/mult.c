/* mult: the product C = A B of two 2x2 matrices, summed over the elements of C.
 *
 * From Heinz Riener's thesis (2011, section 5.3), written anew from its description: the paper's tool had no arrays, so
 * that the matrices are passed element by element. */

int mult(int a11, int a12, int a21, int a22, int b11, int b12, int b21, int b22)
{
    int c11 = a11 * b11 + a12 * b21;
    int c12 = a11 * b12 + a12 * b22;
    int c21 = a21 * b11 + a22 * b21;
    int c22 = a21 * b12 + a22 * b22;

    return c11 + c12 + c21 + c22;
}
