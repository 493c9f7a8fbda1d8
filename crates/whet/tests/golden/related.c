/* Two pointers that are compared lead into one buffer, either of them further on. */
#include <stddef.h>
int sum(const int *begin, const int *end)
{
    int s = 0;  //~ 2 killed
    while (begin != end)  //~ 4 killed; open: 18 `!=` -> `<` (comparison or difference of pointers into different objects in the mutant (line 6))
        s += *begin++;  //~ 4 killed
    return s;  //~ 3 killed
}
int count(const int *begin, const int *end, int x)
{
    int s = 0;  //~ 2 killed
    for (; begin < end; begin++)  //~ 5 killed
        if (*begin == x) s++;  //~ 9 killed
    return s;  //~ 3 killed
}
void move(char *to, const char *from, size_t n)
{
    if (to < from)  //~ 4 killed; limited: 12 `<` -> `<=`
        for (size_t i = 0; i < n; i++) to[i] = from[i];  //~ 19 killed; equivalent: 30 `<` -> `!=`
    else
        for (size_t i = n; i > 0; i--) to[i - 1] = from[i - 1];  //~ 31 killed; equivalent: 30 `>` -> `!=`
}
