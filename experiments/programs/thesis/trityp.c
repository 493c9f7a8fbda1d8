/* trityp: the type of a triangle with these sides. 1 equilateral, 2 isosceles, 3 scalene, 4 no triangle.
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I, `tri`), written anew from their
 * description, in the manner of the Fortran programs that they go back to: a sum tells which sides are equal. */

int trityp(int i, int j, int k)
{
    int equal = 0;

    if (i <= 0 || j <= 0 || k <= 0)
        return 4;

    if (i == j)
        equal += 1;
    if (i == k)
        equal += 2;
    if (j == k)
        equal += 3;

    if (equal == 0) {
        if (i + j <= k || j + k <= i || i + k <= j)
            return 4;
        return 3;
    }
    if (equal > 3)
        return 1;
    if (equal == 1 && i + j > k)
        return 2;
    if (equal == 2 && i + k > j)
        return 2;
    if (equal == 3 && j + k > i)
        return 2;
    return 4;
}
