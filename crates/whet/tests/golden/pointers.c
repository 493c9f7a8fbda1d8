/* Pointers, arrays and globals. */
int counter;

int first(const int *a)
{
    return a[0] + 1;  //~ 8 killed
}

int bump(int by)
{
    counter += by;  //~ 7 killed
    return counter;  //~ 3 killed
}

int mostly(int x)
{
    int table[2] = { 1, 2 };  //~ 5 killed
    if (x < 10)  //~ 11 killed
        return x + 1;  //~ 9 killed
    return table[x & 1];  //~ 10 killed
}

int plain(int x)
{
    return x + 1;  //~ 9 killed
}
