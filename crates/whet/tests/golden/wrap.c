//~ flags: --overflow wrap
/* Where overflow wraps, more inputs are valid, and mutants that differ only there are killed. */
int is_greater_than_predecessor(int x)
{
    return x > x - 1;  //~ 16 killed; equivalent: 14 `>` -> `>=`
}

int middle(int a, int b)
{
    return (a + b) / 2;  //~ 16 killed
}
