/* What kind of triangle? 1 equilateral, 2 isosceles, 3 scalene, 4 none.
 *
 * After the benchmark `trityp` of Heinz Riener's thesis (2011, section 5.3), in
 * the manner of its Fortran ancestors: a sum tells which sides are equal. */

int trityp(int i, int j, int k)
{
    int equal = 0;  //~ 2 killed

    if (i <= 0 || j <= 0 || k <= 0)  //~ 30 killed
        return 4;  //~ 3 killed

    if (i == j)  //~ 11 killed
        equal += 1;  //~ 6 killed
    if (i == k)  //~ 11 killed
        equal += 2;  //~ 7 killed
    if (j == k)  //~ 11 killed
        equal += 3;  //~ 7 killed

    if (equal == 0) {  //~ 9 killed; equivalent: 15 `==` -> `<=`
        if (i + j <= k || j + k <= i || i + k <= j)  //~ 54 killed
            return 4;  //~ 3 killed
        return 3;  //~ 3 killed
    }
    if (equal > 3)  //~ 9 killed; equivalent: 9 `equal` -> `(equal - 1)`, 17 `3` -> `4`
        return 1;  //~ 2 killed
    if (equal == 1 && i + j > k)  //~ 27 killed; equivalent: 15 `==` -> `<=`
        return 2;  //~ 3 killed
    if (equal == 2 && i + k > j)  //~ 29 killed
        return 2;  //~ 3 killed
    if (equal == 3 && j + k > i)  //~ 28 killed; equivalent: 15 `==` -> `>=`
        return 2;  //~ 3 killed
    return 4;  //~ 3 killed
}
