/* Rows are distinct buffers, also in inputs that are made of others. */
int last(int **rows)
{
    *rows[0] = 1;
    *rows[1] = 2;
    return *rows[0];
}
