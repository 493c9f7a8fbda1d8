/* A loop that runs as often as the input says: proofs reach as far as the bound. */
unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}
