/* A mutant that reads an uninitialised variable is stopped by a sanitizer, and so is its test. */
int assigned(signed char x)
{
    int r;
    if (x > 0)  //~ 6 killed; equivalent: 9 `x` -> `(x + 1)`, 11 `>` -> `>=`, 11 `>` -> `!=`, 13 `0` -> `-1`
        r = 0;  //~ 2 killed
    if (x <= 0)  //~ 7 killed; equivalent: 9 `x` -> `(x - 1)`, 9 `x` -> `0`, 14 `0` -> `1`
        r = 0;  //~ 2 killed
    return r;  //~ 2 killed; equivalent: 12 `r` -> `0`
}
