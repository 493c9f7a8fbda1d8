/* minmax: the middle one of three values.
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I, `mid`), written anew from their
 * description: the minimum and the maximum are found first, and what is left is returned. */

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
