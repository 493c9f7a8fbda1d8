/* Which function is meant, a resolver says when the program starts. */
static int fast(int a)
{
    return (a & 7) + 1;  //~ 0 killed; 17 alone
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
