//~ flags: --operators ROR,DCR,CR,UOI
/* Loops of which some mutants do the same but for one input: a proof that forgets it would be wrong. */
#include <limits.h>

/* INT_MIN alone has no absolute value. */
int digits(int n)
{
    if (n == INT_MIN)  //~ 7 killed; equivalent: 9 `n` -> `-n`, 11 `==` -> `<=`
        return 10;  //~ 7 killed
    if (n < 0)  //~ 10 killed; equivalent: 11 `<` -> `<=`, 13 `0` -> `1`, 13 `0` -> `-1`
        n = -n;  //~ 1 killed
    int count = 1;  //~ 5 killed
    while (n >= 10) {  //~ 15 killed
        n /= 10;  //~ 6 killed
        count++;
    }
    return count;  //~ 4 killed
}

/* There is no int above INT_MAX alone. */
int odd_up_to(int n)
{
    if (n == INT_MAX)  //~ 13 killed; equivalent: 11 `==` -> `>=`
        return 1;  //~ 5 killed
    int odd = 0;  //~ 4 killed
    for (int i = 0; i <= n; i++)  //~ 13 killed
        odd ^= 1;  //~ 5 killed
    return odd;  //~ 4 killed
}

/* Zero alone goes round no loop. */
int digit_sum(unsigned n)
{
    if (n == 0)  //~ 11 killed; equivalent: 9 `n` -> `-n`, 11 `==` -> `<=`
        return -1;  //~ 5 killed
    int sum = 0;  //~ 4 killed
    do {
        sum += (int)(n % 10);  //~ 7 killed
        n /= 10;  //~ 6 killed
    } while (n != 0);  //~ 10 killed; equivalent: 14 `n` -> `-n`, 16 `!=` -> `>`
    return sum;  //~ 4 killed
}

/* So does the empty text. */
int last(const char *s)
{
    if (*s == '\0')  //~ 12 killed
        return -1;  //~ 5 killed
    while (s[1] != '\0')  //~ 16 killed
        s++;
    return *s;  //~ 3 killed
}
