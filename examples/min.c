/* The smaller of two values.
 *
 * After the benchmark `min` of Heinz Riener's thesis (2011, section 5.3),
 * which follows Offutt and Pan (1997). */

int min(int a, int b)
{
    int smallest = a;  //~ 3 killed

    if (b < smallest)  //~ 10 killed; equivalent: 11 `<` -> `<=`
        smallest = b;  //~ 3 killed
    return smallest;  //~ 3 killed
}
