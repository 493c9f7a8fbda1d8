/* Statements without braces, one in another. */
int g;
static void note(int x) { g = g * 3 + x; }
int dangling(int a, int b, int c)
{
    g = 1;
    if (a) if (b) note(1); else note(2);
    if (a) for (int i = 0; i < 2; i++) if (c) note(i); else break; else note(3);
    if (b) do if (a) note(4); else continue; while (0); else if (c) note(5); else return g;
    if (a > 3) while (a--) if (a == 4) continue; else if (a < 2) return a; else note(a);
    else label: note(b), note(c);
    switch (c) case 1: if (a) note(6); else default: note(7);
    if (b) return g; else return -g;
}
int values(int a, int b)
{
    int x, y = x = a, *p = &x;
    x += y -= b; y = -x, x = y == b;
    *p = (a ? b : a) ? x++ : ++y;
    (a > b) && (x = 3); a || (y = 4); a ? (void)x-- : (void)(y += 2);
    (x) = ((y)); ((x))++; (void)(x = y + 1);
    return x - y, x + (y = 2) * (a = b) + (a += 1, a -= 2);
}
unsigned long long wide(unsigned long long a, long b)
{
    return (a << 3 | a >> 61) + 0x7fffffffffffffffLL - b % 5 + (a > 18446744073709551615ull - 2) + (b < -9223372036854775807L) + (1ULL << 40) + 4294967296 / (b | 1);
}
