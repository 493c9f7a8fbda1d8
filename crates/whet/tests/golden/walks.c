//~ flags: --operators default
/* Walks over texts and arrays, as long as these are: what is equivalent is so for every length. */
#include <stddef.h>

size_t length(const char *s)
{
    size_t n = 0;  //~ 2 killed
    while (*s) {  //~ 4 killed
        s++;  //~ 1 killed
        n++;  //~ 2 killed
    }
    return n;  //~ 3 killed
}

int count(const char *s, char c)
{
    int n = 0;  //~ 2 killed
    for (; *s != '\0'; s++)  //~ 8 killed
        if (*s == c)  //~ 8 killed
            n++;  //~ 2 killed
    return n;  //~ 4 killed
}

/* To swap the middle with itself makes no difference; to go on does. */
void reverse(char *a, int n)
{
    if (a == NULL)  //~ 4 killed
        return;  //~ 1 killed
    for (int i = 0, j = n - 1; i < j; i++, j--) {  //~ 17 killed; limited: 34 `<` -> `<=`
        char t = a[i];  //~ 3 killed
        a[i] = a[j];  //~ 7 killed
        a[j] = t;  //~ 5 killed
    }
}

int sum_up_to(const int *a, int n)
{
    if (n < 0)  //~ 4 killed; equivalent: 9 `n < 0` -> `0`, 11 `<` -> `<=`, 13 `0` -> `1`, 13 `0` -> `-1`
        return 0;  //~ 2 killed; equivalent: 9 `return 0;` -> `;`
    int sum = 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 8 killed; equivalent: 23 `<` -> `!=`
        sum ^= a[i];  //~ 6 killed
    return sum;  //~ 4 killed
}
