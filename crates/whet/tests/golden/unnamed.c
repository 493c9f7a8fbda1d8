/* Types without a name: a test has to declare them all the same, and in an order that C understands. */
#include <stddef.h>

typedef struct { int x, y; } point;

struct shape {
    int kind;
    struct { int x, y; } at;
    union { int radius; struct { short width, height; }; };
};

typedef struct { int length; char name[4]; } *label;

struct { int hits; struct { int last; } seen[2]; } score;

/* Each needs the other. */
typedef struct { struct box *owner; point corner; } handle;
struct box { handle grip; int (*measure)(struct lid *, handle *); int weight; };
struct lid { struct box below; _Alignas(16) int height; };

point middle(point a, point b)
{
    point m = {(a.x + b.x) / 2, a.y};  //~ 10 killed
    return m;
}

int extent(const struct shape *shapes, int i)
{
    return shapes[i].kind ? shapes[i].radius : shapes[i].at.x + shapes[i].height;  //~ 16 killed
}

int shorter(label one)
{
    return one == NULL || one->length < 3;  //~ 9 killed
}

void hit(int where)
{
    score.hits++;  //~ 1 killed
    score.seen[1].last = where;  //~ 5 killed
}

int heavy(const handle *h)
{
    return h->owner != NULL && h->owner->weight > 2;  //~ 9 killed
}

int high(struct lid *lids)
{
    return lids[1].height > lids[0].below.weight;  //~ 9 killed
}
