/* The smallest of three values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of three elements is spelled out as three variables. */

int findmin3(int a0, int a1, int a2)
{
    int min = a0;  //~ 3 killed

    if (a1 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a1;  //~ 3 killed
    if (a2 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a2;  //~ 3 killed
    return min;  //~ 3 killed
}
