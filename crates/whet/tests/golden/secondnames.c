//~ flags: --operators default
/* Second names are names of the same function, or variable: mutants are seeded once, and calls through them are calls. */
int least(int a, int b)
{
    return a < b ? a : b;  //~ 11 killed; equivalent: 14 `<` -> `<=`
}

int smaller(int a, int b) __attribute__((alias("least")));
extern __typeof(least) lesser __attribute__((weak, alias("least")));

int at_most_three(int a)
{
    return smaller(a, 3) + lesser(a, 3);  //~ 19 killed; equivalent: 20 `a, 3` -> `3, a`, 35 `a, 3` -> `3, a`
}

/* Other files know it by its second name only. */
static int hidden_half(int x)
{
    return x / 2;  //~ 11 killed
}

int half(int x) __attribute__((alias("hidden_half")));

int quarter(int x)
{
    return hidden_half(half(x));  //~ 4 killed
}

int total = 4;
extern int sum __attribute__((alias("total")));

int add(int a)
{
    sum = a & 7;  //~ 9 killed
    return total;  //~ 4 killed
}

__attribute__((weak)) int twice(int a)
{
    return (a & 0xff) * 2;  //~ 19 killed
}

int plus_one(int a) __asm__("plus_one_v2");
int plus_one(int a)
{
    return (a & 0xff) + 1;  //~ 18 killed
}

__attribute__((visibility("hidden"))) int both(int a)
{
    return twice(a) + plus_one(a);  //~ 9 killed
}
