/* Structs by pointer and by value, unions, bit-fields, enums. */
enum shade { DARK, LIGHT };

struct point {
    int x, y;
};

struct packed {
    unsigned low : 3;
    unsigned high : 5;
    enum shade shade;
};

union bits {
    unsigned whole;
    unsigned char parts[4];
};

struct point mirrored(struct point p)
{
    struct point q = { p.y, p.x };
    return q;
}

void move(struct point *p, int by)
{
    p->x += by;  //~ 7 killed
}

unsigned joined(const struct packed *p)
{
    return p->shade == DARK ? p->low : p->high << 3 | p->low;  //~ 12 killed; equivalent: 21 `==` -> `<=`, 53 `|` -> `^`
}

void cut(struct packed *p, unsigned n)
{
    p->high = n;  //~ 3 killed
}

unsigned lowest(unsigned n)
{
    union bits bits;
    bits.whole = n;  //~ 3 killed
    return bits.parts[0] + 1u;  //~ 8 killed
}
