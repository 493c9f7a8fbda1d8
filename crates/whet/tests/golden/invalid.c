/* A function that breaks C's rules whatever it is given has no test, and Whet says so. */
int forgotten(int x)
{
    int y;
    return x + y;  //~ 0 killed; open: 12 `x` -> `(x + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 12 `x` -> `(x - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 12 `x` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 14 `+` -> `-` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 14 `+` -> `*` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 14 `+` -> `/` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 14 `+` -> `%` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 16 `y` -> `(y + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 16 `y` -> `(y - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried), 16 `y` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 5 on all 64 that were tried)
}

/* This one is valid at a single input, which chance will not find. */
int picky(int x)
{
    int y;
    if (x == 123456789)  //~ 9 killed; equivalent: 11 `==` -> `<=`, 11 `==` -> `>=`
        y = 5;  //~ 3 killed
    return y + 1;  //~ 9 killed
}
