/* A helper that two functions share. A mutant in one of them is no duplicate of a mutant in the helper, which the
 * other function reaches, too. */
static int count(const char *s, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += s[i] == 'a';
    return k;
}

int count3(const char *s)
{
    return count(s, 3);
}

int count5(const char *s)
{
    return count(s, 5);
}
