/* Macros in odd places: as operators, halves of expressions, arguments of themselves, with side effects. */
#define PLUS +
#define MINUS_ONE - 1
#define OPEN (
#define CLOSE )
#define HALF a +
#define TWICE(x) ((x) + (x))
#define WRAP(x) (x)
#define NEG(x) (-(x))
#define NOT(x) !(x)
#define COND(c, x, y) ((c) ? (x) : (y))
#define IN(x, lo, hi) ((lo) <= (x) && (x) <= (hi))
#define ABS(x) ((x) < 0 ? -(x) : (x))
#define BIT(n) (1u << (n))
#define GET(x, n) (((x) >> (n)) & 1u)
#define SET(x, n) ((x) |= BIT(n))
#define FIELD(s) ((s).a)
#define PTR(s) ((s)->a)
#define AT(t, i) ((t)[(i)])
#define SUM AT(t, 0) + AT(t, 1)
#define A_PLUS_B (a + b)
#define DIV(a, b) ((b) ? (a) / (b) : 0)
#define TEXT "a" "b"
#define WHILE while
#define IF(c) if (c) {
#define ENDIF }

struct s { int a, b; };

int halves(int a, int b)
{
    int r = HALF b * 2 PLUS 1 MINUS_ONE;
    r = r * OPEN a - b CLOSE;
    return WRAP(a) - WRAP(WRAP(b)) * NEG(r) + NOT(a > b) + NEG(NEG(a)) - A_PLUS_B / 2;
}

int nested(int a, int b, int c)
{
    return COND(IN(a, 0, 9), COND(b, TWICE(c), ABS(a - c)), DIV(TWICE(a), ABS(b))) + TWICE(TWICE(a)) - ABS(ABS(b));
}

unsigned bits(unsigned x, unsigned n)
{
    n &= 7;
    SET(x, n); x ^= BIT(3) | BIT(n);
    return GET(x, 2) + GET(x, n) * 2 + (BIT(4) > x ? 1u : x);
}

int members(int x, int y)
{
    struct s s = { x, y }, *p = &s; int t[3] = { x, y, 1 };
    FIELD(s) += 2; PTR(p)--; AT(t, 2) = SUM - FIELD(s);
    IF (x > PTR(p)) y++; ENDIF
    WHILE (y > 5) y -= 2;
    return FIELD(s) * PTR(p) + AT(t, x & 1) - y + TEXT[1] + (int)sizeof(TEXT);
}
