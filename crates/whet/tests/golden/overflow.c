/* Where overflow is undefined, a comparison with x - 1 is always true. */
int is_greater_than_predecessor(int x)
{
    return x > x - 1;  //~ 15 killed; equivalent: 14 `>` -> `>=`, 14 `>` -> `!=`
}

int uninitialised(int x)
{
    int y;
    if (x > 0)  //~ 7 killed; equivalent: 11 `>` -> `>=`, 11 `>` -> `!=`, 13 `0` -> `-1`
        y = x;  //~ 3 killed
    return y;  //~ 3 killed
}
