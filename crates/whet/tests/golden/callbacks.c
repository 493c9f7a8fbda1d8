/* Function pointers to functions of the module. */
int increment(int n)
{
    return n + 1;  //~ 9 killed
}

int negate(int n)
{
    return -n;  //~ 3 killed
}

int apply(int (*f)(int), int n)
{
    return f ? f(n) : n;  //~ 6 killed
}

int chosen(int which, int n)
{
    int (*const table[])(int) = { increment, negate };
    return table[which & 1](n);  //~ 13 killed
}
