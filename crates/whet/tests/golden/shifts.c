/* A constant shift beyond the width is no mutant: compilers make of it what they like. */
int masked(_Bool b)
{
    switch (b & 40) {  //~ 5 killed; equivalent: 13 `b` -> `(b + 1)`, 13 `b` -> `0`, 17 `40` -> `0`
    case 0:
        return 1;  //~ 2 killed
    case 1:
        return 2;  //~ 0 killed; equivalent: 16 `2` -> `3`, 16 `2` -> `1`, 16 `2` -> `0`
    }
    return 4;  //~ 0 killed; equivalent: 12 `4` -> `5`, 12 `4` -> `3`, 12 `4` -> `0`
}

unsigned top(unsigned x)
{
    return x >> 31;  //~ 7 killed
}
