//~ flags: --operators default
/* Some operations have no result for some numbers, and each machine makes up its own: sanitizers see that, and a mutant that comes to it breaks
 * the rules. */

int whole(double x)
{
    if (x != x || x < -1000.0 || x > 1000.0)  //~ 19 killed
        return 0;  //~ 3 killed
    return (int)x;  //~ 4 killed
}

unsigned char level(float x)
{
    if (x < 256.0f && x >= 0.0f)  //~ 11 killed; equivalent: 25 `>=` -> `>`
        return (unsigned char)x;  //~ 4 killed
    return 0;  //~ 2 killed
}

int leading(unsigned x)
{
    return x ? __builtin_clz(x) : 32;  //~ 12 killed; equivalent: 12 `x` -> `-x`
}

int trailing(unsigned long x)
{
    if (x == 0)  //~ 6 killed; equivalent: 9 `x` -> `-x`, 11 `==` -> `<=`
        return 64;  //~ 6 killed
    return __builtin_ctzl(x);  //~ 3 killed; equivalent: 27 `x` -> `-x`
}
