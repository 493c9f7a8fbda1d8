/* Pointers, arrays and globals are not executed yet: what needs them is open, the rest goes on. */
int counter;

int first(const int *a)
{
    return a[0] + 1;
}

int bump(int by)
{
    counter += by;
    return counter;
}

int mostly(int x)
{
    int table[2] = { 1, 2 };
    if (x < 10)
        return x + 1;
    return table[x & 1];
}

int plain(int x)
{
    return x + 1;
}
