/* Recursion, direct and mutual. */
int factorial(int n)
{
    if (n <= 1)  //~ 7 killed; equivalent: 11 `<=` -> `<`, 14 `1` -> `0`; limited: 9 `n` -> `(n + 1)`
        return 1;  //~ 2 killed
    return n * factorial(n - 1);  //~ 16 killed
}

static int is_odd(unsigned char n);

int is_even(unsigned char n)
{
    return n == 0 ? 1 : is_odd(n - 1);  //~ 20 killed; equivalent: 14 `==` -> `<=`
}

static int is_odd(unsigned char n)
{
    return n == 0 ? 0 : is_even(n - 1);  //~ 20 killed; equivalent: 14 `==` -> `<=`
}
