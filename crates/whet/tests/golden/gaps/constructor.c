/* What a constructor sets has no initial value that a test could see: we would have to run it first. */
static int base = 1;
static int count;

__attribute__((constructor)) void start(void)
{
    base = 5;  //~ 0 killed; open: 12 `5` -> `6` (`base`, which the constructor `start` may have set (line 7)), 12 `5` -> `4` (`base`, which the constructor `start` may have set (line 7)), 12 `5` -> `0` (`base`, which the constructor `start` may have set (line 7))
}

int shift(int a)
{
    return (a & 7) + base;  //~ 0 killed; open: 13 `a` -> `(a + 1)` (`base`, which the constructor `start` may have set (line 12)), 13 `a` -> `(a - 1)` (`base`, which the constructor `start` may have set (line 12)), 13 `a` -> `0` (`base`, which the constructor `start` may have set (line 12)), 13 `a & 7` -> `(int)((unsigned int)(a) >> (7))` (`base`, which the constructor `start` may have set (line 12)), 15 `&` -> `|` (`base`, which the constructor `start` may have set (line 12)), 15 `&` -> `^` (`base`, which the constructor `start` may have set (line 12)), 15 `&` -> `<<` (`base`, which the constructor `start` may have set (line 12)), 15 `&` -> `>>` (`base`, which the constructor `start` may have set (line 12)), 17 `7` -> `8` (`base`, which the constructor `start` may have set (line 12)), 17 `7` -> `6` (`base`, which the constructor `start` may have set (line 12)), 17 `7` -> `0` (`base`, which the constructor `start` may have set (line 12)), 20 `+` -> `-` (`base`, which the constructor `start` may have set (line 12)), 20 `+` -> `*` (`base`, which the constructor `start` may have set (line 12)), 20 `+` -> `/` (`base`, which the constructor `start` may have set (line 12)), 20 `+` -> `%` (`base`, which the constructor `start` may have set (line 12)), 22 `base` -> `(base + 1)` (`base`, which the constructor `start` may have set (line 12)), 22 `base` -> `(base - 1)` (`base`, which the constructor `start` may have set (line 12)), 22 `base` -> `0` (`base`, which the constructor `start` may have set (line 12))
}

int next(int a)
{
    count = (a & 7) + 1;  //~ 17 killed
    return count;  //~ 3 killed
}
