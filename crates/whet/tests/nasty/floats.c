/* Floats among integers. */
double mix(double d, float f, int i)
{
    double r = d * 2 + f / 4 - i;
    f += 1; r -= f * 1.5; i *= 0.5;
    if (d < f || r >= 10 && !(d == 0)) r = -r;
    r = i ? r + i : f ? d : 1;
    return d != d ? 3 : r > 1e3 ? (int)f : r;
}
