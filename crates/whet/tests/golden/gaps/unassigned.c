/* A mutant that leaves a part of new memory unassigned: what a test reads there may be the right thing, by chance. */
#include <stdlib.h>
#include <string.h>

char *doubled(const char *s)
{
    size_t n = strlen(s);
    char *copy = malloc(2 * n + 1);  //~ 13 killed; equivalent: 25 `2` -> `3`, 29 `n` -> `(n + 1)`, 33 `1` -> `2`
    memcpy(copy, s, n);  //~ 2 killed; equivalent: 21 `n` -> `(n + 1)`
    memcpy(copy + n, s, n + 1);  //~ 6 killed; open: 25 `n` -> `(n - 1)` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned), 25 `n` -> `0UL` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned), 27 `+` -> `*` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned), 27 `+` -> `/` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned), 27 `+` -> `%` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned), 29 `1` -> `0` (a claim did not survive the checker: the mutant differs only in what it leaves unassigned)
    return copy;
}
