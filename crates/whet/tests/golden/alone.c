/* Static functions are called themselves where that settles more: tests that include the file can do so. */

/* Nothing leads here. */
static int clamp(int x, int most)
{
    return x > most ? most : x;  //~ 0 killed; 16 alone; equivalent: 14 `>` -> `>=`
}

/* A proof for all callers counts more than a kill that none of them can make. */
static int half(int x)
{
    return (x + 1) / 2;  //~ 11 killed; equivalent: 13 `x` -> `(x - 1)`, 15 `+` -> `*`, 15 `+` -> `/`, 17 `1` -> `0`
}

int same(unsigned char x)
{
    return half(2 * x);  //~ 10 killed
}

typedef int (*operation)(int);

/* A caller gets hold of it, and may call it with anything. What is equivalent in itself is so for all of them. */
static int positive(int x)
{
    if (x > 0)  //~ 0 killed; 8 alone; equivalent: 11 `>` -> `>=`, 13 `0` -> `-1`
        return x;  //~ 0 killed; 3 alone
    return 0;  //~ 0 killed; 2 alone
}

operation chosen(int which)
{
    return which == 1 ? positive : 0;  //~ 10 killed
}

/* What no other function uses may use others, and state. */
struct pair { int first, second; };

static int sum(struct pair pair, const int *others, int count)
{
    int total = pair.first + pair.second;  //~ 0 killed; 4 alone
    for (int i = 0; i < count; i++)  //~ 0 killed; 14 alone
        total += clamp(others[i], 7);  //~ 0 killed; 10 alone
    return total;  //~ 0 killed; 3 alone
}
