/* The middle one of three values: neither the smallest nor the largest.
 *
 * After the benchmark `minmax` of Heinz Riener's thesis (2011, section 5.3),
 * which finds the minimum and the maximum first and returns what is left. */

int minmax(int a, int b, int c)
{
    int min = a;  //~ 3 killed
    int max = a;  //~ 3 killed

    if (b < min)  //~ 10 killed; equivalent: 11 `<` -> `<=`
        min = b;  //~ 3 killed
    if (c < min)  //~ 9 killed; equivalent: 11 `<` -> `<=`, 13 `min` -> `(min + 1)`
        min = c;  //~ 2 killed; equivalent: 15 `c` -> `(c - 1)`
    if (b > max)  //~ 10 killed; equivalent: 11 `>` -> `>=`
        max = b;  //~ 3 killed
    if (c > max)  //~ 9 killed; equivalent: 11 `>` -> `>=`, 13 `max` -> `(max - 1)`
        max = c;  //~ 2 killed; equivalent: 15 `c` -> `(c + 1)`

    if (a == b)  //~ 11 killed
        return a;  //~ 3 killed
    if (a != min && a != max)  //~ 20 killed; equivalent: 11 `!=` -> `>`, 23 `!=` -> `<`
        return a;  //~ 3 killed
    if (b != min && b != max)  //~ 20 killed; equivalent: 11 `!=` -> `>`, 23 `!=` -> `<`
        return b;  //~ 3 killed
    return c;  //~ 3 killed
}
