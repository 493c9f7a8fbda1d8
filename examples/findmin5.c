/* The smallest of five values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of five elements is spelled out as five variables. */

int findmin5(int a0, int a1, int a2, int a3, int a4)
{
    int min = a0;  //~ 3 killed

    if (a1 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a1;  //~ 3 killed
    if (a2 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a2;  //~ 3 killed
    if (a3 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a3;  //~ 3 killed
    if (a4 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a4;  //~ 3 killed
    return min;  //~ 3 killed
}
