/* What kind of triangle do three sides make?
 *
 * The classic of the testing literature, after Glenford Myers,
 * "The Art of Software Testing" (1979). */

enum triangle { EQUILATERAL = 1, ISOSCELES, SCALENE, INVALID };

int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)
        return INVALID;
    if (a + b <= c || b + c <= a || c + a <= b)
        return INVALID;
    if (a == b && b == c)
        return EQUILATERAL;
    if (a == b || b == c || c == a)
        return ISOSCELES;
    return SCALENE;
}
