/* A function that breaks C's rules whatever it is given has no test, and Whet says so. */
int forgotten(int x)
{
    int y;
    return x + y;  //~ 0 killed; equivalent: 12 `x` -> `(x + 1)`, 12 `x` -> `(x - 1)`, 12 `x` -> `0`, 14 `+` -> `-`, 14 `+` -> `*`, 14 `+` -> `/`, 14 `+` -> `%`, 16 `y` -> `(y + 1)`, 16 `y` -> `(y - 1)`, 16 `y` -> `0`
}

/* This one is valid at a single input, which chance will not find. */
int picky(int x)
{
    int y;
    if (x == 123456789)  //~ 9 killed; equivalent: 11 `==` -> `<=`, 11 `==` -> `>=`
        y = 5;  //~ 3 killed
    return y + 1;  //~ 9 killed
}
