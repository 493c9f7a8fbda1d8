/* A stub has no parameter for what `...` takes. The real function may look at it, so such a mutant is not equivalent either. */
int note(int kind, ...);

int warn(int x)
{
    note(1, x + 1);  //~ 2 killed; open: 13 `x` -> `(x + 1)` (the difference is in an argument that a stub has no parameter for), 13 `x` -> `(x - 1)` (the difference is in an argument that a stub has no parameter for), 13 `x` -> `0` (the difference is in an argument that a stub has no parameter for), 15 `+` -> `-` (the difference is in an argument that a stub has no parameter for), 15 `+` -> `*` (the difference is in an argument that a stub has no parameter for), 15 `+` -> `/` (the difference is in an argument that a stub has no parameter for), 15 `+` -> `%` (the difference is in an argument that a stub has no parameter for), 17 `1` -> `2` (the difference is in an argument that a stub has no parameter for), 17 `1` -> `0` (the difference is in an argument that a stub has no parameter for)
    return x;  //~ 3 killed
}

/* How many there are is no more than what they are. */
int count(int x, const int *p)
{
    return x ? note(x, 1) : note(x, p, 3);  //~ 5 killed; equivalent: 34 `x` -> `0`; open: 12 `x` -> `(x + 1)` (the difference is in an argument that a stub has no parameter for), 12 `x` -> `(x - 1)` (the difference is in an argument that a stub has no parameter for), 12 `x` -> `0` (the difference is in an argument that a stub has no parameter for), 24 `1` -> `2` (the difference is in an argument that a stub has no parameter for), 24 `1` -> `0` (the difference is in an argument that a stub has no parameter for), 40 `3` -> `4` (the difference is in an argument that a stub has no parameter for), 40 `3` -> `2` (the difference is in an argument that a stub has no parameter for), 40 `3` -> `0` (the difference is in an argument that a stub has no parameter for)
}
