/* A computation with something unassigned is a fault, even if the unassigned bits cancel out. */
//~ flags: --operators SDL
#include <stdlib.h>

int difference(int x)
{
    int a, b;
    b = x;  //~ 1 killed
    a = b;  //~ 1 killed
    return a - b;
}

int exclusive(int x)
{
    int a, b;
    b = x;  //~ 1 killed
    a = b;  //~ 1 killed
    return a ^ b;
}

int equality(int x)
{
    int a, b;
    b = x;  //~ 1 killed
    a = b;  //~ 1 killed
    return a == b;
}

int joined(int x)
{
    int a, b, c;
    b = x;  //~ 1 killed
    a = b;  //~ 1 killed
    if (x > 3)
        c = a;  //~ 1 killed
    else
        c = b;  //~ 1 killed
    return (c & 8) - (c & 8);
}

int in_memory(int x)
{
    int *a = malloc(sizeof *a);
    if (!a)
        return 0;
    *a = x;  //~ 1 killed
    int r = *a - *a;
    free(a);  //~ 0 killed; equivalent: 5 `free(a);` -> `;`
    return r;
}

struct pair {
    int one, other;
};

int copied(int x)
{
    struct pair p, q;
    p.one = x;  //~ 1 killed
    p.other = x;  //~ 1 killed
    q = p;  //~ 1 killed
    return q.one - p.one + (q.other ^ p.other);
}

static int ignores(int a, int b)
{
    return (a - a) + (b & 1);
}

int passed(int x)
{
    int a, b = x;
    if (x > 2)
        a = x;  //~ 1 killed
    return x > 2 ? ignores(a, b) : ignores(b, b);
}
