//~ flags: --operators default
/* What an optimiser may assume away, and a mutant does: none of it makes a mutant equivalent. */
int divides(int x, int y)
{
    int unused = x + y;  //~ 2 killed; equivalent: 18 `x` -> `-x`, 20 `+` -> `-`, 20 `+` -> `*`, 22 `y` -> `-y`
    unused = unused * y;  //~ 2 killed; equivalent: 5 `unused = unused * y;` -> `;`, 14 `unused` -> `-unused`, 21 `*` -> `+`, 21 `*` -> `-`, 23 `y` -> `-y`
    return x;  //~ 4 killed
}

int follows(const int *p, int q)
{
    if (q > 0)  //~ 6 killed; equivalent: 9 `q > 0` -> `0`, 13 `0` -> `1`
        (void)*p;  //~ 2 killed
    return q;  //~ 4 killed
}

int reads(const int *a, int n)
{
    int last = 0;  //~ 0 killed; equivalent: 16 `0` -> `1`, 16 `0` -> `-1`
    for (int i = 0; i < n; i++)  //~ 7 killed; equivalent: 18 `0` -> `1`; limited: 21 `i < n` -> `0`
        last = a[i];  //~ 3 killed; equivalent: 9 `last = a[i];` -> `;`
    return n;  //~ 4 killed
}

int ends(unsigned n)
{
    unsigned i = 0;  //~ 0 killed; equivalent: 18 `0` -> `1`; limited: 18 `0` -> `-1`
    while (i < n)  //~ 2 killed; equivalent: 14 `<` -> `!=`; limited: 12 `i` -> `-i`, 12 `i < n` -> `0`, 14 `<` -> `<=`
        i++;  //~ 1 killed; limited: 10 `++` -> `--`
    return 7;  //~ 5 killed
}

int assigns(int c)
{
    int x;
    if (c > 0)  //~ 0 killed; equivalent: 9 `c` -> `-c`, 9 `c > 0` -> `1`, 9 `c > 0` -> `0`, 9 `c > 0` -> `!(c > 0)`, 11 `>` -> `>=`, 11 `>` -> `!=`, 13 `0` -> `1`, 13 `0` -> `-1`
        x = 1;  //~ 4 killed
    else
        x = 1;  //~ 4 killed
    return x;  //~ 3 killed; equivalent: 12 `x` -> `1`
}

int shifts(int x, unsigned y)
{
    return y < 32 ? x << y : 0;  //~ 19 killed
}

int overflows(int a)
{
    return a + 1 > a;  //~ 11 killed; equivalent: 12 `a + 1 > a` -> `1`, 18 `>` -> `>=`, 18 `>` -> `!=`
}

int neighbours(int i)
{
    int a[2] = {1, 1}, b[2] = {1, 1};  //~ 12 killed
    return i == 0 || i == 1 ? a[i] + b[i] : 0;  //~ 27 killed; equivalent: 12 `i` -> `-i`
}
