/* Loops with empty parts, nested choices, switches, jumps. */
int loops(int n)
{
    int s = 0, i = 0;
    for (;;) { if (i++ >= n || i > 9) break; if (i & 1) continue; s += i; }
    for (i = 3; ; --i) { if (!i) break; s -= i; }
    for (; i < 4;) i += 2;
    do s++; while (s < 0 && s != -3);
    while (i --> 0) if (s > 3) s -= 2; else { s += 1; continue; }
    return s;
}

int choices(int a, int b, int c)
{
    return a ? b ? c ? 1 : 2 : c ? 3 : 4 : b > c ? a == b ? 5 : 6 : !a && (b || !c) ? 7 : a - b ? -8 : 9;
}

int cases(int x)
{
    int r = 1;
    switch (x % 9) {
    case 0: case 1: r = 2; /* falls through */
    case 2 ... 4: r *= 3; break;
    case -1: { r = x > 0; break; }
    default: r--;
    case 7: if (x) { case 8: r += x; } break;
    }
    return r;
}

int jumps(int n)
{
    int k = 0;
again:
    k++;
    if (n > 2) { n -= 2; if (k < 5) goto again; return n; }
    if (n < -2) return -k;
    return k + n;
}
