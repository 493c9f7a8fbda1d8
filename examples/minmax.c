/* The middle one of three values: neither the smallest nor the largest.
 *
 * After the benchmark `minmax` of Heinz Riener's thesis (2011, section 5.3),
 * which finds the minimum and the maximum first and returns what is left. */

int minmax(int a, int b, int c)
{
    int min = a;
    int max = a;

    if (b < min)
        min = b;
    if (c < min)
        min = c;
    if (b > max)
        max = b;
    if (c > max)
        max = c;

    if (a == b)
        return a;
    if (a != min && a != max)
        return a;
    if (b != min && b != max)
        return b;
    return c;
}
