/* Floating point is not executed yet. */
double scale(double x)
{
    return x * 2;
}

int rounded(int x)
{
    double y = x;  //~ 0 killed; open: 16 `x` -> `(x + 1)` (a floating-point operation (line 9)), 16 `x` -> `(x - 1)` (a floating-point operation (line 9)), 16 `x` -> `0` (a floating-point operation (line 9))
    return (int)(y + 0.5) + 1;  //~ 0 killed; open: 27 `+` -> `-` (a floating-point operation (line 9)), 27 `+` -> `*` (a floating-point operation (line 9)), 27 `+` -> `/` (a floating-point operation (line 9)), 27 `+` -> `%` (a floating-point operation (line 9)), 29 `1` -> `2` (a floating-point operation (line 9)), 29 `1` -> `0` (a floating-point operation (line 9))
}
