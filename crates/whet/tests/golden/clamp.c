/* The smallest equivalent mutants: at a boundary both sides of a comparison give the same. */
int clamp(int x, int lo, int hi)
{
    if (x < lo)  //~ 11 killed
        return lo;  //~ 3 killed
    if (x > hi)  //~ 10 killed; equivalent: 11 `>` -> `>=`
        return hi;  //~ 3 killed
    return x;  //~ 3 killed
}
