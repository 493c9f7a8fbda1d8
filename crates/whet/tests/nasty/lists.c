/* Designated initialisers, sizes, long texts, subscripts. */
struct point { int x, y; char name[4]; };
struct line { struct point from, to; int width; };
static const int table[] = { 1, [3] = 7, 9 };

int lists(int a, int i)
{
    int t[5] = { [1] = a, 2 + 1, [4] = -a };
    struct line l = { .to = { .y = 5, .x = a }, .from.x = 3, .width = a > 2 ? 4 : a };
    struct point p = (struct point){ 6, .name = { 'a', 'b' } };
    const int last = sizeof t / sizeof t[0] - 1;
    t[last] += table[3] + p.name[1] - l.from.x;
    if (i < 0 || i > last) return l.to.x * l.to.y + l.width;
    return t[i] + t[0] * 2 + table[i & 3] + p.x + (int)sizeof(struct point) / 4;
}

int length(const char *s);
int length(const char *s)
{
    int n = 0;
    const char *empty = "" "";
    const char *t = s ? s : "one "
        "two" /* and */ "three";
    while (t[n] != '\0' && n < 20) n += 1;
    return n + *empty + "abc"[n & 1] - sizeof "xy";
}
