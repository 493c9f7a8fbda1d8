/* Mutants that stop or never return are killed; what would break C's rules is no test. */
int quotient(int a, int b)
{
    if (b == 0)
        return 0;
    return a / b;
}

int shift(int x, int by)
{
    return x << by;
}

int count_up(int n)
{
    int i = 0;
    if (n < 0 || n > 6)
        return -1;
    while (i < n)
        i += 1;
    return i;
}
