/* A constant behind a macro is changed at its use; code inside of a macro is left alone. */
#define LIMIT 10
#define SQUARE(x) ((x) * (x))

int within(int x)
{
    return x < LIMIT;  //~ 11 killed
}

int area(int side)
{
    if (side < 0 || side > 1000)  //~ 21 killed
        return -1;  //~ 2 killed
    return SQUARE(side);  //~ 4 killed
}
