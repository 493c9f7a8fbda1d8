/* Numbers with a fraction, and conversions. */
double scale(double x)
{
    return x * 2;  //~ 6 killed
}

int rounded(int x)
{
    double y = x;  //~ 3 killed
    return (int)(y + 0.5) + 1;  //~ 9 killed
}
