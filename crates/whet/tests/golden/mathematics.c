/* What the mathematical library computes is executed; how exactly it does so decides no verdict. */
#include <math.h>

double wave(double x)
{
    return sin(x) + 1.0;  //~ 3 killed
}

int is_near(double x, double y)
{
    return hypot(x, y) < 2.0;  //~ 5 killed
}

/* The sine of a number, twice. */
double twice(double x)
{
    double once = sin(x);
    return once - sin(x + 0.0);  //~ 6 killed
}

int exponent(double x)
{
    int e;
    frexp(x, &e);
    return e;  //~ 3 killed
}
