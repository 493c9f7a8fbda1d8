/* How exactly a library computes decides no verdict; that equal arguments give equal results does. */
#include <math.h>

double wave(double x)
{
    return sin(x) + 1.0;
}

int is_near(double x, double y)
{
    return hypot(x, y) < 2.0;
}

/* The two calls have the same argument, whatever the sine is. */
double twice(double x)
{
    double once = sin(x);
    return once - sin(x + 0.0);
}

int exponent(double x)
{
    int e;
    frexp(x, &e);
    return e;
}
