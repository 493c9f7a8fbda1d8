/* Mutants that stop or never return are killed; what would break C's rules is no test. */
int quotient(int a, int b)
{
    if (b == 0)  //~ 10 killed
        return 0;  //~ 2 killed
    return a / b;  //~ 9 killed
}

int shift(int x, int by)
{
    return x << by;  //~ 11 killed
}

int count_up(int n)
{
    int i = 0;  //~ 1 killed; equivalent: 13 `0` -> `-1`
    if (n < 0 || n > 6)  //~ 21 killed
        return -1;  //~ 2 killed
    while (i < n)  //~ 10 killed; equivalent: 14 `<` -> `!=`
        i += 1;  //~ 6 killed
    return i;  //~ 3 killed
}
