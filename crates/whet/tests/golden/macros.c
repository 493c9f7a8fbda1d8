/* A constant behind a macro is changed at its use; code inside of a macro is left alone. */
#define LIMIT 10
#define SQUARE(x) ((x) * (x))

int within(int x)
{
    return x < LIMIT;
}

int area(int side)
{
    if (side < 0 || side > 1000)
        return -1;
    return SQUARE(side);
}
