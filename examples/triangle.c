/* What kind of triangle do three sides make?
 *
 * The classic of the testing literature, after Glenford Myers,
 * "The Art of Software Testing" (1979). */

enum triangle { EQUILATERAL = 1, ISOSCELES, SCALENE, INVALID };

int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)  //~ 18 killed; equivalent: 9 `a` -> `(a + 1)`, 11 `<=` -> `<`, 11 `<=` -> `==`, 14 `0` -> `-1`, 19 `b` -> `(b + 1)`, 21 `<=` -> `<`, 21 `<=` -> `==`, 24 `0` -> `-1`, 29 `c` -> `(c + 1)`, 31 `<=` -> `<`, 31 `<=` -> `==`, 34 `0` -> `-1`
        return INVALID;  //~ 3 killed
    if (a + b <= c || b + c <= a || c + a <= b)  //~ 54 killed
        return INVALID;  //~ 3 killed
    if (a == b && b == c)  //~ 22 killed
        return EQUILATERAL;  //~ 2 killed
    if (a == b || b == c || c == a)  //~ 33 killed
        return ISOSCELES;  //~ 3 killed
    return SCALENE;  //~ 3 killed
}
