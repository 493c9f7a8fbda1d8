//~ flags: --operators default
/* Loops whose number of rounds the input decides: what is equivalent is so for all inputs, and one input is enough not to be. */

unsigned sum_below(unsigned n)
{
    unsigned sum = 0;  //~ 2 killed
    for (unsigned i = 0; i < n; i++)  //~ 7 killed; equivalent: 23 `0` -> `1`, 28 `<` -> `!=`
        sum += i;  //~ 6 killed
    return sum;  //~ 3 killed
}

/* INT_MIN, and every other negative number, goes round no loop. */
int twice_each(int n)
{
    int sum = 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 8 killed; equivalent: 18 `0` -> `1`
        sum ^= i * 2;  //~ 12 killed
    return sum;  //~ 4 killed
}

int digits(unsigned n)
{
    int count = 1;  //~ 3 killed
    while (n >= 10) {  //~ 10 killed
        n /= 10;  //~ 9 killed
        count++;  //~ 2 killed
    }
    return count;  //~ 4 killed
}

unsigned greatest(unsigned a, unsigned b)
{
    while (b != 0) {  //~ 5 killed; equivalent: 12 `b` -> `-b`, 14 `!=` -> `>`
        unsigned rest = a % b;  //~ 6 killed
        a = b;  //~ 2 killed
        b = rest;  //~ 2 killed
    }
    return a;  //~ 3 killed
}

unsigned ones(unsigned n)
{
    unsigned count = 0;  //~ 2 killed
    while (n != 0) {  //~ 5 killed; equivalent: 12 `n` -> `-n`, 14 `!=` -> `>`
        n &= n - 1;  //~ 11 killed
        count++;  //~ 2 killed
    }
    return count;  //~ 3 killed
}

/* The last round adds nothing. */
unsigned product(unsigned a, unsigned b)
{
    unsigned sum = 0;  //~ 2 killed
    while (b > 0) {  //~ 5 killed; equivalent: 12 `b` -> `-b`, 14 `>` -> `!=`
        if (b & 1)  //~ 9 killed
            sum += a;  //~ 6 killed
        a <<= 1;  //~ 4 killed
        b >>= 1;  //~ 4 killed
    }
    return sum;  //~ 3 killed
}

/* Below zero there is nothing to add, with the question or without it. */
int below(int n)
{
    if (n < 0)  //~ 4 killed; equivalent: 9 `n < 0` -> `0`, 11 `<` -> `<=`, 13 `0` -> `1`, 13 `0` -> `-1`
        return 0;  //~ 2 killed; equivalent: 9 `return 0;` -> `;`
    int sum = 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 7 killed; equivalent: 18 `0` -> `1`, 23 `<` -> `!=`
        sum ^= i;  //~ 4 killed
    return sum;  //~ 4 killed
}

unsigned differences(unsigned a, unsigned b)
{
    if (a == 0 || b == 0)  //~ 12 killed; equivalent: 9 `a` -> `-a`, 11 `==` -> `<=`, 19 `b` -> `-b`, 21 `==` -> `<=`
        return a | b;  //~ 6 killed; equivalent: 18 `|` -> `^`
    while (a != b) {  //~ 6 killed
        if (a > b)  //~ 6 killed; equivalent: 15 `>` -> `>=`
            a -= b;  //~ 6 killed
        else
            b -= a;  //~ 6 killed
    }
    return a;  //~ 3 killed
}

/* A sum in 64 bits begins as something that might be a null pointer. */
long wide_sum(const char *s)
{
    long sum = 0;  //~ 2 killed
    while (*s >= '0' && *s <= '9')  //~ 24 killed
        sum = 10 * sum + (*s++ - '0');  //~ 23 killed; equivalent: 32 `-` -> `%`
    return sum;  //~ 4 killed
}
