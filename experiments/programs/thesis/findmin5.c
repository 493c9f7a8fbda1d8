/* findmin5: the smallest of five values.
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I), written anew from their
 * description: the paper's tool had no arrays, so that each element is a variable. */

int findmin5(int a0, int a1, int a2, int a3, int a4)
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
    return smallest;
}
