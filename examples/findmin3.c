/* The smallest of three values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of three elements is spelled out as three variables. */

int findmin3(int a0, int a1, int a2)
{
    int min = a0;

    if (a1 < min)
        min = a1;
    if (a2 < min)
        min = a2;
    return min;
}
