/* Wide types: 64 bits, unsigned wrap-around, literals with suffixes. */
unsigned long long mix(unsigned long long x)
{
    x ^= x >> 33;
    x *= 3ull;
    return x;
}

long distance(long a, long b)
{
    return a > b ? a - b : b - a;
}

unsigned add_saturating(unsigned a, unsigned b)
{
    unsigned sum = a + b;
    if (sum < a)
        return 4294967295u;
    return sum;
}
