/* Addresses as numbers: where an object lies, no verdict depends on. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Byte by byte until the address is even, then by twos. */
unsigned sum(const unsigned char *p, size_t n)
{
    unsigned s = 0;
    while (n > 0 && ((uintptr_t)p & 1) != 0) {
        s += *p++;
        n--;
    }
    while (n >= 2) {
        s += p[0] + 3u * p[1];
        p += 2;
        n -= 2;
    }
    return s;
}

/* A tag in the lowest bit of a pointer. */
struct node { int value; };

int tagged(int bit)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return -1;
    node->value = 5;
    uintptr_t tag = (uintptr_t)node | (bit != 0);
    int found = ((struct node *)(tag & ~(uintptr_t)1))->value + (int)(tag & 1);
    free(node);
    return found;
}

/* What lies where, nobody knows. */
int low(const char *p)
{
    return (uintptr_t)p & 0xff0;
}

int before(const char *p, const char *q)
{
    return (uintptr_t)p < (uintptr_t)q;
}

int same(const char *p, const char *q)
{
    return (uintptr_t)p == (uintptr_t)q;
}

/* A variable whose address was a number may have changed. */
static int hidden = 3;

int leak(int x)
{
    uintptr_t number = (uintptr_t)&hidden;
    *(int *)number = x;
    return hidden;
}
