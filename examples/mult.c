/* The product C = A B of two 2x2 matrices, summed over the elements of C.
 *
 * After the benchmark `mult` of Heinz Riener's thesis (2011, section 5.3),
 * which passes the matrices element by element. */

int mult(int a11, int a12, int a21, int a22, int b11, int b12, int b21, int b22)
{
    int c11 = a11 * b11 + a12 * b21;  //~ 24 killed
    int c12 = a11 * b12 + a12 * b22;  //~ 24 killed
    int c21 = a21 * b11 + a22 * b21;  //~ 24 killed
    int c22 = a21 * b12 + a22 * b22;  //~ 24 killed

    return c11 + c12 + c21 + c22;  //~ 24 killed
}
