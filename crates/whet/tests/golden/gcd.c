/* A loop that runs as often as the input says: proofs reach as far as the bound. */
unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {  //~ 9 killed; equivalent: 14 `!=` -> `>`
        unsigned r = a % b;  //~ 9 killed
        a = b;  //~ 3 killed
        b = r;  //~ 3 killed
    }
    return a;  //~ 3 killed
}
