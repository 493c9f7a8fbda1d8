/* Addresses as numbers: where an object lies, no verdict depends on. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Byte by byte until the address is even, then by twos. */
unsigned sum(const unsigned char *p, size_t n)
{
    unsigned s = 0;  //~ 2 killed
    while (n > 0 && ((uintptr_t)p & 1) != 0) {  //~ 7 killed; equivalent: 14 `>` -> `!=`, 40 `!=` -> `>`; limited: 12 `n` -> `(n + 1)`, 12 `n` -> `(n - 1)`, 12 `n` -> `0UL`, 14 `>` -> `<`, 14 `>` -> `<=`, 14 `>` -> `>=`, 14 `>` -> `==`, 16 `0` -> `1`, 16 `0` -> `-1`, 37 `1` -> `2`, 37 `1` -> `0`, 40 `!=` -> `<`
        s += *p++;  //~ 0 killed; limited: 11 `+=` -> `-=`, 11 `+=` -> `*=`, 11 `+=` -> `/=`, 11 `+=` -> `%=`
        n--;  //~ 0 killed; limited: 10 `--` -> `++`
    }
    while (n >= 2) {  //~ 11 killed
        s += p[0] + 3u * p[1];  //~ 19 killed
        p += 2;  //~ 3 killed
        n -= 2;  //~ 7 killed
    }
    return s;  //~ 3 killed
}

/* A tag in the lowest bit of a pointer. */
struct node { int value; };

int tagged(int bit)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return -1;  //~ 0 killed; open: 16 `-1` -> `0` (a pointer that is made of other things than pointers (line 32)), 16 `-1` -> `-2` (a pointer that is made of other things than pointers (line 32))
    node->value = 5;  //~ 3 killed
    uintptr_t tag = (uintptr_t)node | (bit != 0);  //~ 11 killed; open: 37 `|` -> `^` (a pointer that is made of other things than pointers (line 32))
    int found = ((struct node *)(tag & ~(uintptr_t)1))->value + (int)(tag & 1);  //~ 19 killed; open: 75 `&` -> `|` (a pointer that is made of other things than pointers (line 32)), 75 `&` -> `^` (a pointer that is made of other things than pointers (line 32))
    free(node);
    return found;  //~ 3 killed
}

/* What lies where, nobody knows. */
int low(const char *p)
{
    return (uintptr_t)p & 0xff0;  //~ 2 killed; limited: 27 `0xff0` -> `0xff1`; open: 27 `0xff0` -> `0xfef` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `0xff0` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

int before(const char *p, const char *q)
{
    return (uintptr_t)p < (uintptr_t)q;  //~ 5 killed
}

int same(const char *p, const char *q)
{
    return (uintptr_t)p == (uintptr_t)q;  //~ 5 killed
}

/* A variable whose address was a number may have changed. */
static int hidden = 3;

int leak(int x)
{
    uintptr_t number = (uintptr_t)&hidden;
    *(int *)number = x;  //~ 6 killed
    return hidden;  //~ 3 killed
}
