/* Another function of the file may call a function as no test of its own does. */
//~ flags: --operators default

/* With two pointers into one buffer. */
void assign(int *to, const int *from)
{
    *to = 0;  //~ 5 killed
    *to = *from;  //~ 5 killed
}

void between(int *to, int *from)
{
    assign(to, from);  //~ 5 killed
}

int itself(int x)
{
    between(&x, &x);  //~ 1 killed
    return x;  //~ 2 killed; equivalent: 12 `x` -> `-x`, 12 `x` -> `0`
}

/* The same, but all who call it pass distinct buffers. */
void replace(int *to, const int *from)
{
    *to = 0;  //~ 2 killed; equivalent: 5 `*to = 0;` -> `;`, 11 `0` -> `1`, 11 `0` -> `-1`
    *to = *from;  //~ 5 killed
}

void copy(int *to, int value)
{
    replace(to, &value);  //~ 3 killed
}

/* After a variable has changed. */
int mode;

int next(int x)
{
    return mode ? x + 1 : x;  //~ 15 killed; equivalent: 12 `mode` -> `-mode`
}

int after(int x)
{
    mode = 1;  //~ 4 killed
    return next(x);  //~ 4 killed
}

/* Nobody finds out whether the buffers of this one are distinct. */
int fill(int *to, const int *from, int n)
{
    int sum = 0;  //~ 2 killed
    for (int i = 0; i < n; i++) {  //~ 9 killed
        to[i] = 0;  //~ 3 killed; limited: 9 `to[i] = 0;` -> `;`, 17 `0` -> `1`, 17 `0` -> `-1`
        to[i] = from[i];  //~ 7 killed
        sum += to[i];  //~ 8 killed
    }
    return sum;  //~ 4 killed
}

int strides(int *to, int *from, int n, int m)
{
    for (int i = 0; n > 3 && i < m; i += 3)  //~ 29 killed
        fill(to + i, from, n);  //~ 7 killed
    return to[0];  //~ 7 killed
}
