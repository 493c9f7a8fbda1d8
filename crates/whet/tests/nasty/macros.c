/* Macros with several operators, nested, used twice on one line, and statements in them. */
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) MAX(lo, -MAX(-(x), -(hi)))
#define SQUARE(x) ((x) * (x))
#define BOTH(a, b) ((a) > 0 && (b) < 10 || (a) == (b))
#define ADD3(x) x + 3
#define LIMIT 12
#define NEGATIVE -4
#define MASK (LIMIT | 1)
#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define BUMP(x) (x)++
#define LESS <
#define RETURN_IF(c, v) if (c) return (v)
#define CAT(a, b) a##b
#define STR(x) #x

int twice_on_a_line(int a, int b) { return MAX(a, b) - MAX(b + 1, a & 7) + SQUARE(a - b) * SQUARE(b); }

int nested(int x) { return CLAMP(x, -5, LIMIT) + CLAMP(x + 1, NEGATIVE, MASK); }

int loose(int a, int b)
{
    int c = 2 * ADD3(a) - NEGATIVE;
    if (a LESS b) c = ADD3(ADD3(b)) * 2;
    return BOTH(a, c) ? c - NEGATIVE : -c;
}

int statements(int a, int b)
{
    if (a > b) SWAP(a, b); else BUMP(a);
    EACH(i, 3) b += i * a & MASK;
    RETURN_IF(a == LIMIT && b, a - b);
    BUMP(b); SWAP(a, b);
    return CAT(a, ) - CAT(, b) * (int)sizeof(STR(a + b));
}
