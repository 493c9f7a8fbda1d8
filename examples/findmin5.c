/* The smallest of five values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of five elements is spelled out as five variables. */

int findmin5(int a0, int a1, int a2, int a3, int a4)
{
    int min = a0;

    if (a1 < min)
        min = a1;
    if (a2 < min)
        min = a2;
    if (a3 < min)
        min = a3;
    if (a4 < min)
        min = a4;
    return min;
}
