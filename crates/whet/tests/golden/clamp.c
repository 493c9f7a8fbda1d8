/* The smallest equivalent mutants: at a boundary both sides of a comparison give the same. */
int clamp(int x, int lo, int hi)
{
    if (x < lo)
        return lo;
    if (x > hi)
        return hi;
    return x;
}
