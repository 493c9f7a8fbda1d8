/* Where overflow is undefined, a comparison with x - 1 is always true. */
int is_greater_than_predecessor(int x)
{
    return x > x - 1;
}

int uninitialised(int x)
{
    int y;
    if (x > 0)
        y = x;
    return y;
}
