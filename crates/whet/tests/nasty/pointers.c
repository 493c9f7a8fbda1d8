/* Pointers: moved, compared, followed; calls with arguments that could change places. */
static int sub(int a, int b) { return a - b; }
static int apply(int (*f)(int, int), int a, int b) { return f ? f(a, b) : 0; }
int calls(int a, int b) { return apply(sub, a, b) + sub(sub(a, 1), sub(b, 2)) - apply(0, 3, 4); }

int walk(const int *p, int n)
{
    const int *end = p + n, *q = p;
    int s = 0;
    if (!p || n < 2 || n > 4) return -1;
    while (q != end && *q >= 0) s += *q++;
    for (q = end - 1; q > p; q -= 1) s ^= q[-1] - *q;
    return s + (int)(end - q) * 2 + *(p + 1) + (p == q ? p[0] : 1[p]);
}

void store(int *a, int *b, unsigned char *c)
{
    if (a == 0 || b == 0 || !c) return;
    *a++ = *b; *(b) += 2; c[0] = (unsigned char)(*b >> 1); (*b)--;
    *c <<= 1, *c ^= 0x55;
}
