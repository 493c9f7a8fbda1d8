/* What nothing tells from the original within the limits of the search is limited, and never equivalent: what lies beyond a limit may well
 * tell it. Each function here has a limit of its own, but for `brake`, which has none. */
#include <stddef.h>

static int level;
static int most = 7;

/* A second call tells whether the first one has left something behind. */
int filter(int x)
{
    level = level / 2 + x;  //~ 9 killed; limited: 13 `level` -> `(level + 1)`, 13 `level` -> `(level - 1)`, 13 `level` -> `0`, 19 `/` -> `*`, 19 `/` -> `%`, 21 `2` -> `3`, 21 `2` -> `1`
    return level;  //~ 3 killed
}

/* Nobody ever writes to `most`: it is a constant. */
int brake(int x)
{
    return x > most ? most : x;  //~ 15 killed; equivalent: 14 `>` -> `>=`, 16 `most` -> `(most - 1)`
}

/* No function of this file can be called back. */
long each(long (*visit)(char), char n)
{
    return visit ? visit(n) * 2 : 0;  //~ 2 killed; limited: 26 `n` -> `(n + 1)`, 26 `n` -> `(n - 1)`, 26 `n` -> `0`, 29 `*` -> `+`, 29 `*` -> `-`, 29 `*` -> `/`, 29 `*` -> `%`, 31 `2` -> `3`, 31 `2` -> `1`, 31 `2` -> `0`
}

struct node {
    int value;
    struct node *next;
};

/* Lists are no longer than pointers are followed. */
int third(const struct node *list)
{
    if (!list || !list->next || !list->next->next)
        return 0;  //~ 2 killed
    return list->next->next->value + 1;  //~ 0 killed; limited: 36 `+` -> `-`, 36 `+` -> `*`, 36 `+` -> `/`, 36 `+` -> `%`, 38 `1` -> `2`, 38 `1` -> `0`
}

char *find(char *text);

/* Whoever finds something finds it in the text. */
ptrdiff_t place(char *text)
{
    char *found = find(text);
    return found ? found - text + 1 : 0;  //~ 2 killed; limited: 20 `found - text + 1` -> `(found - text) * 1`, 20 `found - text + 1` -> `(found - text) / 1`, 20 `found - text + 1` -> `(found - text) % 1`, 33 `+` -> `-`, 35 `1` -> `2`, 35 `1` -> `0`
}
