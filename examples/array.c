/* Everyday work with arrays of numbers. */

/* Removes the element at a position; the number of elements that are left. */
int array_delete(int *a, int n, int at)
{
    if (at < 0 || at >= n)  //~ 21 killed
        return n;  //~ 3 killed
    for (int i = at; i < n - 1; i++)  //~ 20 killed; equivalent: 24 `<` -> `!=`
        a[i] = a[i + 1];  //~ 12 killed
    return n - 1;  //~ 9 killed
}

/* Inserts an element if there is room; the new number of elements. */
int array_insert(int *a, int n, int room, int at, int value)
{
    if (n >= room || at < 0 || at > n)  //~ 32 killed
        return n;  //~ 3 killed
    for (int i = n; i > at; i--)  //~ 14 killed; equivalent: 23 `>` -> `!=`
        a[i] = a[i - 1];  //~ 12 killed
    a[at] = value;  //~ 6 killed
    return n + 1;  //~ 9 killed
}

void array_reverse(int *a, int n)
{
    for (int i = 0, j = n - 1; i < j; i++, j--) {  //~ 24 killed
        int swap = a[i];  //~ 3 killed
        a[i] = a[j];  //~ 6 killed
        a[j] = swap;  //~ 6 killed
    }
}

/* The position of a value, or -1. */
int array_search(const int *a, int n, int value)
{
    for (int i = 0; i < n; i++) {  //~ 14 killed
        if (a[i] == value)  //~ 11 killed
            return i;  //~ 3 killed
    }
    return -1;  //~ 2 killed
}

int array_min(const int *a, int n)
{
    int min = a[0];  //~ 2 killed
    for (int i = 1; i < n; i++) {  //~ 13 killed; equivalent: 18 `1` -> `0`
        if (a[i] < min)  //~ 10 killed; equivalent: 18 `<` -> `<=`
            min = a[i];  //~ 3 killed
    }
    return min;  //~ 3 killed
}

long array_sum(const int *a, int n)
{
    long sum = 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 14 killed
        sum += a[i];  //~ 7 killed
    return sum;  //~ 3 killed
}
