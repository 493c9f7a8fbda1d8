/* Functions that call themselves. */

unsigned factorial(unsigned n)
{
    if (n < 2)  //~ 9 killed; equivalent: 13 `2` -> `1`; limited: 9 `n` -> `(n + 1)`
        return 1;  //~ 2 killed
    return n * factorial(n - 1);  //~ 16 killed
}

unsigned char gcd(unsigned char a, unsigned char b)
{
    if (b == 0)  //~ 9 killed; equivalent: 11 `==` -> `<=`
        return a;  //~ 3 killed
    return gcd(b, a % b);  //~ 12 killed
}
