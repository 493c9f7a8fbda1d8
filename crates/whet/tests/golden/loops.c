/* Loops: counted by a constant, by the input, nested, left early. */
unsigned popcount(unsigned x)
{
    unsigned n = 0;
    for (int i = 0; i < 32; i++)
        n += (x >> i) & 1u;
    return n;
}

int digits(unsigned n)
{
    int count = 0;
    do {
        count++;
        n /= 10;
    } while (n > 0);
    return count;
}

int first_square_above(int limit)
{
    int i = 0;
    while (i < 100) {
        if (i * i > limit)
            return i;
        i++;
    }
    return -1;
}

int grid(unsigned char w, unsigned char h)
{
    int cells = 0;
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 3; x++) {
            if (x >= w)
                break;
            if (y >= h)
                continue;
            cells++;
        }
    }
    return cells;
}
