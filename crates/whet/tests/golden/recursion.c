/* Recursion, direct and mutual. */
int factorial(int n)
{
    if (n <= 1)
        return 1;
    return n * factorial(n - 1);
}

static int is_odd(unsigned char n);

int is_even(unsigned char n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(unsigned char n)
{
    return n == 0 ? 0 : is_even(n - 1);
}
