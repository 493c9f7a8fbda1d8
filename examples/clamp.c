/* Numbers with a fraction. */

double clamp(double x, double low, double high)
{
    if (x < low)  //~ 5 killed
        return low;
    if (x > high)  //~ 5 killed
        return high;
    return x;
}

/* How many real roots a x^2 + b x + c has, unless it is zero everywhere. */
int roots(float a, float b, float c)
{
    if (a == 0)  //~ 7 killed
        return b != 0;  //~ 7 killed
    float d = b * b - 4 * a * c;  //~ 15 killed
    if (d < 0)  //~ 7 killed
        return 0;  //~ 2 killed
    return d > 0 ? 2 : 1;  //~ 12 killed
}
