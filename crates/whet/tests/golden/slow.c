/* A mutant that takes longer, and then returns the same, is not killed. */
int wait_for_nothing(signed char x)
{
    int i = 0;  //~ 0 killed; equivalent: 13 `0` -> `1`, 13 `0` -> `-1`
    while (i < (x & 7))  //~ 2 killed; equivalent: 12 `i` -> `(i + 1)`, 12 `i` -> `(i - 1)`, 14 `<` -> `<=`, 14 `<` -> `>`, 14 `<` -> `==`, 14 `<` -> `!=`, 17 `x` -> `(x + 1)`, 17 `x` -> `(x - 1)`, 17 `x` -> `0`, 19 `&` -> `|`, 19 `&` -> `^`, 19 `&` -> `>>`, 21 `7` -> `8`, 21 `7` -> `6`, 21 `7` -> `0`; open: 17 `x & 7` -> `(int)((unsigned int)(x) >> (7))` (the mutant, where the original returns within the bound, ran out of fuel), 19 `&` -> `<<` (the mutant, where the original returns within the bound, ran out of fuel)
        i++;  //~ 1 killed
    return 0;  //~ 2 killed
}
