/* A function that breaks C's rules whatever it is given has no test, and Whet says so. */
int forgotten(int x)
{
    int y;
    return x + y;  //~ 0 killed; open: 12 `x` -> `(x + 1)` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 12 `x` -> `(x - 1)` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 12 `x` -> `0` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 14 `+` -> `-` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 14 `+` -> `*` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 14 `+` -> `/` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 14 `+` -> `%` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 16 `y` -> `(y + 1)` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 16 `y` -> `(y - 1)` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something), 16 `y` -> `0` (no input within the limits is valid for the original: raise --size, --depth or --bound, unless it waits for a function without a body to assign something)
}

/* This one is valid at a single input, which chance will not find. */
int picky(int x)
{
    int y;
    if (x == 123456789)  //~ 9 killed; equivalent: 11 `==` -> `<=`, 11 `==` -> `>=`
        y = 5;  //~ 3 killed
    return y + 1;  //~ 9 killed
}
