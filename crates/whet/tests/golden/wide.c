/* Wide types: 64 bits, unsigned wrap-around, literals with suffixes. */
unsigned long long mix(unsigned long long x)
{
    x ^= x >> 33;  //~ 13 killed
    x *= 3ull;  //~ 7 killed
    return x;  //~ 3 killed
}

long distance(long a, long b)
{
    return a > b ? a - b : b - a;  //~ 30 killed; equivalent: 14 `>` -> `>=`
}

unsigned add_saturating(unsigned a, unsigned b)
{
    unsigned sum = a + b;  //~ 10 killed
    if (sum < a)  //~ 11 killed
        return 4294967295u;  //~ 2 killed
    return sum;  //~ 3 killed
}
