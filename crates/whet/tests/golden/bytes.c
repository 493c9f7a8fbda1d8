/* Characters that C makes it hard to write down, in inputs, in results and in what is printed. */
#include <stdio.h>

const char *mark(int k)
{
    return k > 3 ? "??/\n\"\x01" "f\\*/" : "/*\xff" "a";  //~ 11 killed
}

int is_mark(const char *s)
{
    return s[0] == '?' && s[1] == '?' && s[2] == '/';  //~ 31 killed
}

int is_quote(char c)
{
    return c == '\'' || c == '\\' || c == (char)0xe9;  //~ 33 killed
}

void print_bytes(const char *s, int n)
{
    for (int i = 0; i < n; i++)  //~ 14 killed
        putchar(s[i]);  //~ 3 killed
}
