/* A pointer to a variable that is gone, left in a global by the mutant alone: it is no longer what it was. */

int *kept;

int keep(int c)
{
    int local = c;  //~ 3 killed
    int *p = &local;
    if (c > 3 && c < 3)  //~ 10 killed; equivalent: 9 `c` -> `(c + 1)`, 9 `c` -> `0`, 11 `>` -> `>=`, 11 `>` -> `==`, 13 `3` -> `4`, 13 `3` -> `2`, 18 `c` -> `(c - 1)`, 20 `<` -> `<=`, 20 `<` -> `==`, 22 `3` -> `4`, 22 `3` -> `2`, 22 `3` -> `0`
        kept = p;
    return *p;
}
