/* The smaller of two values.
 *
 * After the benchmark `min` of Heinz Riener's thesis (2011, section 5.3),
 * which follows Offutt and Pan (1997). */

int min(int a, int b)
{
    int smallest = a;

    if (b < smallest)
        smallest = b;
    return smallest;
}
