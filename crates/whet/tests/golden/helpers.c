/* A helper that two functions share. A mutant in one of them is no duplicate of a mutant in the helper, which the
 * other function reaches, too. */
static int count(const char *s, int n)
{
    int k = 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 13 killed; equivalent: 23 `<` -> `!=`
        k += s[i] == 'a';  //~ 15 killed
    return k;  //~ 3 killed
}

int count3(const char *s)
{
    return count(s, 3);  //~ 3 killed
}

int count5(const char *s)
{
    return count(s, 5);  //~ 3 killed
}
