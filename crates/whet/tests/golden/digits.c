//~ flags: --operators ROR,CR
/* A sum of digits' cubes is small, and so is a number that equals it: what no solver sees in 32 bits is little in 13. */

int is_sum_of_cubes(int n)
{
    int sum = 0;  //~ 4 killed
    for (int rest = n; rest > 0; rest /= 10)  //~ 15 killed
        sum += rest % 10 * (rest % 10) * (rest % 10);  //~ 18 killed
    return sum == n;  //~ 8 killed
}

/* The same but for numbers that begin with 1. */
int is_almost(int n)
{
    int sum = 0;  //~ 4 killed
    for (int rest = n; rest > 1; rest /= 10) {  //~ 15 killed; equivalent: 31 `1` -> `2`
        int digit = rest % 10;  //~ 6 killed
        sum += digit * digit * digit;
    }
    return n == sum;  //~ 8 killed
}
