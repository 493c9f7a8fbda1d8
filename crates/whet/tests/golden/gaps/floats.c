/* Floating point is not executed yet. */
double scale(double x)
{
    return x * 2;
}

int rounded(int x)
{
    double y = x;
    return (int)(y + 0.5) + 1;
}
