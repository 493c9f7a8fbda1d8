/* Static functions that a caller can get hold of, and call with anything: no call of a subject speaks for them. */
typedef int (*operation)(int, int);

static int add(int a, int b)
{
    return a + b;  //~ 0 killed; 10 alone
}

/* Also what only such a function leads to. */
static int twice(int a)
{
    return a * 2;  //~ 0 killed; 10 alone
}

static int scale(int a, int b)
{
    return twice(a) - b;  //~ 0 killed; 10 alone
}

operation chosen(int which)
{
    return which > 0 ? add : 0;  //~ 10 killed
}

/* The pointer stays in a static variable, but another function calls it. */
static operation current;

void choose(void)
{
    current = scale;
}

int apply(int a)
{
    return current ? current(a, 1) : a;  //~ 3 killed; limited: 30 `a` -> `(a + 1)`, 30 `a` -> `(a - 1)`, 30 `a` -> `0`, 33 `1` -> `2`, 33 `1` -> `0`
}
