/* What C leaves to its library is no ground for a kill, and none for a proof. */
#include <stdlib.h>
#include <string.h>

/* How much more one text is than another is open. */
int is_far(const char *a, const char *b)
{
    return strcmp(a, b) > 1;  //~ 3 killed; open: 25 `>` -> `>=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 25 `>` -> `==` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `1` -> `2` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `1` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

struct item { signed char key, value; };

static int by_key(const void *a, const void *b)
{
    const struct item *one = a, *other = b;
    return one->key - other->key;  //~ 2 killed; 2 alone
}

/* Two items with the same key come in any order. */
void sort(struct item items[2])
{
    qsort(items, 2, sizeof *items, by_key);  //~ 3 killed
}

static int calls;

static int counted(const void *a, const void *b)
{
    calls++;  //~ 0 killed; open: 10 `++` -> `--` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
    return *(const char *)a - *(const char *)b;  //~ 0 killed; 4 alone
}

/* So is how often a comparison is called. */
int count(char texts[2])
{
    calls = 0;  //~ 0 killed; open: 13 `0` -> `1` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 13 `0` -> `-1` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
    qsort(texts, 2, 1, counted);  //~ 0 killed; open: 18 `2` -> `3` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 18 `2` -> `1` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 18 `2` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 21 `1` -> `2` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 21 `1` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
    return calls;  //~ 0 killed; open: 12 `calls` -> `(calls + 1)` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 12 `calls` -> `(calls - 1)` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 12 `calls` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}
