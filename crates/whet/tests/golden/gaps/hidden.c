/* A static variable that is only written: no test can look at it, and the next call may depend on it. */
static int calls;

int count(void)
{
    calls++;  //~ 0 killed; open: 10 `++` -> `--` (the difference stays in a static variable, where no test can look)
    return 1;  //~ 2 killed
}
