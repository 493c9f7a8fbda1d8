/* Which function is meant, a resolver says when the program starts. */
static int fast(int a)
{
    return (a & 7) + 1;  //~ 0 killed; open: 13 `a` -> `(a + 1)` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 13 `a` -> `(a - 1)` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 13 `a` -> `0` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 13 `a & 7` -> `(int)((unsigned int)(a) >> (7))` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 15 `&` -> `|` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 15 `&` -> `^` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 15 `&` -> `<<` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 15 `&` -> `>>` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 17 `7` -> `8` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 17 `7` -> `6` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 17 `7` -> `0` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 20 `+` -> `-` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 20 `+` -> `*` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 20 `+` -> `/` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 20 `+` -> `%` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `1` -> `2` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `1` -> `0` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16))
}

static int (*pick(void))(int)
{
    return fast;
}

int chosen(int a) __attribute__((ifunc("pick")));

int twice(int a)
{
    return chosen(a) * 2;  //~ 0 killed; open: 19 `a` -> `(a + 1)` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 19 `a` -> `(a - 1)` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 19 `a` -> `0` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `*` -> `+` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `*` -> `-` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `*` -> `/` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 22 `*` -> `%` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 24 `2` -> `3` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 24 `2` -> `1` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16)), 24 `2` -> `0` (`chosen`, which is chosen when the program starts (`ifunc`) (line 16))
}

int plain(int a)
{
    return a & 6;  //~ 11 killed
}
