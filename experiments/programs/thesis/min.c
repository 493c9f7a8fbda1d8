/* min: the smaller of two values.
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I), written anew from their
 * description. */

int min(int a, int b)
{
    int smallest = a;

    if (b < smallest)
        smallest = b;
    return smallest;
}
