/* Bit-fields, compound assignments in conditions, commas, casts. */
struct flags { unsigned a : 3, b : 1; signed c : 4; unsigned char d; _Bool e; long long f : 33; };

int fields(int x, int y)
{
    struct flags s = { .a = x, .c = y, .e = x & 2 };
    s.a += 3, s.b ^= x > y, s.c--;
    s.d |= s.a << 5; s.d >>= 1;
    s.f = (long long)x * y; s.f++;
    if (s.e ^= (y & 1)) s.a *= 2;
    return s.a + s.b * 10 + s.c * 100 + s.d * 1000 + s.e * 10000 + (int)(s.f & 0xff);
}

unsigned conditions(unsigned x, int n)
{
    unsigned r = 0;
    while ((x >>= 1) && (n -= 3) > 0) r += x & 1 ? 5u : 2u;
    if ((r += 2, x = r ^ 1) != 7 || (n = -n, n < 0)) r -= (unsigned char)x, r = r ? r : ~r;
    for (; n & 3; n++, r <<= 1) ;
    return r;
}

long casts(char c, short s, unsigned u)
{
    return (unsigned char)c - (signed char)(s + 1) + (long)(int)u / 3 + (short)(u - 5) % 7
        + (c == (char)s) + (-(unsigned)s > u) + (_Bool)(u & 4) - (long)(c < s ? c : u);
}
