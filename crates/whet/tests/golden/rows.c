/* Rows are distinct buffers, also in inputs that are made of others. */
int last(int **rows)
{
    *rows[0] = 1;  //~ 4 killed
    *rows[1] = 2;  //~ 5 killed
    return *rows[0];  //~ 2 killed
}
