/* Tokens that are cut by line breaks, spelled in other ways, or stand in odd places. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define AND &&
#define OR ||
#define EMPTY
#define ID(x) x
#define PAIR(a, b) a, b
#define CALL(f, ...) f(__VA_ARGS__)
#define VALUE(...) (__VA_ARGS__)
#define FIRST(a, ...) (a)

static int two(int a, int b) { return a * 10 - b; }

int cut(int a, int b)
{
    a +\
= b; b -\
- ; a = a <\
< 2;
    int t<:3:> = <% 1, a, b %>;
    return t<:1:> - t[2] EMPTY + a AND b OR t[0];
}

int arguments(int a, int b)
{
    return two(PAIR(a, b)) + CALL(two, a, b + 1) - two(ID(a), ID(b)) + ID(a - b) * VALUE(a, b) + FIRST(a + 1, b);
}

bool truth(bool a, uint8_t b, size_t c)
{
    bool r = a == true && b != false;
    r |= b > UINT8_MAX - 3; r = r ? !a : (bool)c;
    uint8_t n = (uint8_t)(b + 1) ?: 4;
    return r != (n < c) || (c & SIZE_MAX) == 0 || !!n == a;
}

int shadows(int a)
{
    { int a = 3; a++; if (a > 3) { int a = 1, b = a; a -= b; } }
    for (int a = 0, b = 5; a < b; a++, b--) if (a == 2) { a += 4; }
    if (a) ; else a = 2;
    ;; { ; }
    return a, a + 1;
}

int old(a, b) int a; char b; { register int c = a; auto int d = b; return c - d; }

inline int inlined(int a) { return a / 2; }
extern int inlined(int a);

__attribute__((noinline)) int marked(int a __attribute__((unused)), int b)
{
    __typeof__(b) c = b + 1;
    int n = ({ int x = b; x > 2 ? x : 2; });
    _Static_assert(sizeof(int) == 4, "int");
    enum { LOCAL = 3, NEXT = LOCAL + 1 };
    char v[NEXT] = "ab";
    return _Generic(c, int: c - LOCAL, default: 0) + n + v[1] + (int)offsetof(struct { char a; int b; }, b)
        + __builtin_expect(b > 5, 0) + (int)_Alignof(short) + __builtin_choose_expr(1, b, a);
}
