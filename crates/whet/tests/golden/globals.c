/* Globals: written ones are observed, and `limit` is an input. */
//~ flags: --global limit
int limit = 3;
int total;

int add(int n)
{
    if (n > limit)  //~ 11 killed
        return 0;  //~ 2 killed
    total += n;  //~ 7 killed
    return 1;  //~ 2 killed
}
