/* What a mutant reads from an uninitialised variable depends on the compiler: no verdict rests on it. */
int assigned(signed char x)
{
    int r;
    if (x > 0)  //~ 0 killed; equivalent: 9 `x` -> `(x + 1)`, 11 `>` -> `>=`, 11 `>` -> `!=`, 13 `0` -> `-1`; open: 9 `x` -> `(x - 1)` (read of an uninitialised variable in the mutant), 9 `x` -> `0` (read of an uninitialised variable in the mutant), 11 `>` -> `<` (read of an uninitialised variable in the mutant), 11 `>` -> `<=` (read of an uninitialised variable in the mutant), 11 `>` -> `==` (read of an uninitialised variable in the mutant), 13 `0` -> `1` (read of an uninitialised variable in the mutant)
        r = 0;  //~ 2 killed
    if (x <= 0)  //~ 0 killed; equivalent: 9 `x` -> `(x - 1)`, 9 `x` -> `0`, 14 `0` -> `1`; open: 9 `x` -> `(x + 1)` (read of an uninitialised variable in the mutant), 11 `<=` -> `<` (read of an uninitialised variable in the mutant), 11 `<=` -> `>` (read of an uninitialised variable in the mutant), 11 `<=` -> `>=` (read of an uninitialised variable in the mutant), 11 `<=` -> `==` (read of an uninitialised variable in the mutant), 11 `<=` -> `!=` (read of an uninitialised variable in the mutant), 14 `0` -> `-1` (read of an uninitialised variable in the mutant)
        r = 0;  //~ 2 killed
    return r;  //~ 2 killed; equivalent: 12 `r` -> `0`
}
