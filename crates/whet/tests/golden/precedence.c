/* A replaced operator may bind tighter or looser: the mutant means what the text says. */
int mixed(int a, int b, int c)
{
    return a + b * c - (a | b & c);  //~ 40 killed
}

int relations(int a, int b, int c)
{
    return a < b == b < c;  //~ 27 killed
}
