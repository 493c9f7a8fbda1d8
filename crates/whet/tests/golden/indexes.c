/* Places that the input decides: local, global and argument arrays, in two dimensions, and of structs. */
static const int squares[] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81 };

struct pair {
    char key;
    int value;
};

int square(unsigned digit)
{
    return squares[digit % 10];  //~ 9 killed
}

int cell(int grid[3][4], int row, int column)
{
    return grid[row][column];  //~ 6 killed
}

int value_of(const struct pair *pairs, int at)
{
    return pairs[at].value;  //~ 3 killed
}

int marked(unsigned at, unsigned other)
{
    int seen[8] = { 0 };  //~ 2 killed
    seen[at & 7] = 1;  //~ 10 killed
    return seen[other & 7];  //~ 8 killed
}
