/* Pointers, arrays and globals are not executed yet: what needs them is open, the rest goes on. */
int counter;

int first(const int *a)
{
    return a[0] + 1;  //~ 0 killed; open: 17 `+` -> `-` (parameter `a` is a pointer (`const int *`) (line 4)), 17 `+` -> `*` (parameter `a` is a pointer (`const int *`) (line 4)), 17 `+` -> `/` (parameter `a` is a pointer (`const int *`) (line 4)), 17 `+` -> `%` (parameter `a` is a pointer (`const int *`) (line 4)), 19 `1` -> `2` (parameter `a` is a pointer (`const int *`) (line 4)), 19 `1` -> `0` (parameter `a` is a pointer (`const int *`) (line 4))
}

int bump(int by)
{
    counter += by;  //~ 0 killed; open: 13 `+=` -> `-=` (the global variable `counter` is read (line 11)), 13 `+=` -> `*=` (the global variable `counter` is read (line 11)), 13 `+=` -> `/=` (the global variable `counter` is read (line 11)), 13 `+=` -> `%=` (the global variable `counter` is read (line 11)), 16 `by` -> `(by + 1)` (the global variable `counter` is read (line 11)), 16 `by` -> `(by - 1)` (the global variable `counter` is read (line 11)), 16 `by` -> `0` (the global variable `counter` is read (line 11))
    return counter;  //~ 0 killed; open: 12 `counter` -> `(counter + 1)` (the global variable `counter` is read (line 11)), 12 `counter` -> `(counter - 1)` (the global variable `counter` is read (line 11)), 12 `counter` -> `0` (the global variable `counter` is read (line 11))
}

int mostly(int x)
{
    int table[2] = { 1, 2 };
    if (x < 10)  //~ 0 killed; open: 9 `x` -> `(x + 1)` (memory is copied (line 17)), 9 `x` -> `(x - 1)` (memory is copied (line 17)), 9 `x` -> `0` (memory is copied (line 17)), 11 `<` -> `<=` (memory is copied (line 17)), 11 `<` -> `>` (memory is copied (line 17)), 11 `<` -> `>=` (memory is copied (line 17)), 11 `<` -> `==` (memory is copied (line 17)), 11 `<` -> `!=` (memory is copied (line 17)), 13 `10` -> `11` (memory is copied (line 17)), 13 `10` -> `9` (memory is copied (line 17)), 13 `10` -> `0` (memory is copied (line 17))
        return x + 1;  //~ 0 killed; open: 16 `x` -> `(x + 1)` (memory is copied (line 17)), 16 `x` -> `(x - 1)` (memory is copied (line 17)), 16 `x` -> `0` (memory is copied (line 17)), 18 `+` -> `-` (memory is copied (line 17)), 18 `+` -> `*` (memory is copied (line 17)), 18 `+` -> `/` (memory is copied (line 17)), 18 `+` -> `%` (memory is copied (line 17)), 20 `1` -> `2` (memory is copied (line 17)), 20 `1` -> `0` (memory is copied (line 17))
    return table[x & 1];  //~ 0 killed; open: 18 `x` -> `(x + 1)` (memory is copied (line 17)), 18 `x` -> `(x - 1)` (memory is copied (line 17)), 18 `x` -> `0` (memory is copied (line 17)), 20 `&` -> `|` (memory is copied (line 17)), 20 `&` -> `^` (memory is copied (line 17)), 20 `&` -> `<<` (memory is copied (line 17)), 20 `&` -> `>>` (memory is copied (line 17)), 18 `x & 1` -> `(int)((unsigned int)(x) >> (1))` (memory is copied (line 17)), 22 `1` -> `2` (memory is copied (line 17)), 22 `1` -> `0` (memory is copied (line 17))
}

int plain(int x)
{
    return x + 1;  //~ 9 killed
}
