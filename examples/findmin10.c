/* The smallest of ten values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of ten elements is spelled out as ten variables. */

int findmin10(int a0, int a1, int a2, int a3, int a4,
              int a5, int a6, int a7, int a8, int a9)
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
    if (a5 < min)
        min = a5;
    if (a6 < min)
        min = a6;
    if (a7 < min)
        min = a7;
    if (a8 < min)
        min = a8;
    if (a9 < min)
        min = a9;
    return min;
}
