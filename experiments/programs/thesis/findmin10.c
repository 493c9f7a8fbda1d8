/* findmin10: the smallest of ten values.
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I), written anew from their
 * description: the paper's tool had no arrays, so that each element is a variable. */

int findmin10(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9)
{
    int smallest = a0;

    if (a1 < smallest)
        smallest = a1;
    if (a2 < smallest)
        smallest = a2;
    if (a3 < smallest)
        smallest = a3;
    if (a4 < smallest)
        smallest = a4;
    if (a5 < smallest)
        smallest = a5;
    if (a6 < smallest)
        smallest = a6;
    if (a7 < smallest)
        smallest = a7;
    if (a8 < smallest)
        smallest = a8;
    if (a9 < smallest)
        smallest = a9;
    return smallest;
}
