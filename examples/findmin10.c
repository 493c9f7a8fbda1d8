/* The smallest of ten values.
 *
 * After the benchmark `findmin` of Heinz Riener's thesis (2011, section 5.3),
 * where an array of ten elements is spelled out as ten variables. */

int findmin10(int a0, int a1, int a2, int a3, int a4,
              int a5, int a6, int a7, int a8, int a9)
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
    if (a5 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a5;  //~ 3 killed
    if (a6 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a6;  //~ 3 killed
    if (a7 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a7;  //~ 3 killed
    if (a8 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a8;  //~ 3 killed
    if (a9 < min)  //~ 10 killed; equivalent: 12 `<` -> `<=`
        min = a9;  //~ 3 killed
    return min;  //~ 3 killed
}
