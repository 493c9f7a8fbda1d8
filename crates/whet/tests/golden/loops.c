/* Loops: counted by a constant, by the input, nested, left early. */
unsigned popcount(unsigned x)
{
    unsigned n = 0;  //~ 2 killed
    for (int i = 0; i < 32; i++)  //~ 13 killed; equivalent: 23 `<` -> `!=`
        n += (x >> i) & 1u;  //~ 16 killed; equivalent: 15 `x >> i` -> `(unsigned int)((int)(x) >> (i))`, 20 `i` -> `(i + 1)`, 20 `i` -> `(i - 1)`
    return n;  //~ 3 killed
}

int digits(unsigned n)
{
    int count = 0;  //~ 2 killed
    do {
        count++;  //~ 1 killed
        n /= 10;  //~ 6 killed
    } while (n > 0);  //~ 9 killed; equivalent: 16 `>` -> `!=`
    return count;  //~ 3 killed
}

int first_square_above(int limit)
{
    int i = 0;  //~ 2 killed
    while (i < 100) {  //~ 10 killed; equivalent: 14 `<` -> `!=`
        if (i * i > limit)  //~ 18 killed
            return i;  //~ 3 killed
        i++;  //~ 1 killed
    }
    return -1;  //~ 2 killed
}

int grid(unsigned char w, unsigned char h)
{
    int cells = 0;  //~ 2 killed
    for (int y = 0; y < 3; y++) {  //~ 13 killed; equivalent: 23 `<` -> `!=`
        for (int x = 0; x < 3; x++) {  //~ 13 killed; equivalent: 27 `<` -> `!=`
            if (x >= w)  //~ 10 killed; equivalent: 19 `>=` -> `==`
                break;
            if (y >= h)  //~ 11 killed
                continue;
            cells++;  //~ 1 killed
        }
    }
    return cells;  //~ 3 killed
}
