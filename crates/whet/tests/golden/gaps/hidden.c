/* A static variable that is only written: no test can look at it, and the next call may depend on it. */
static int calls;

int count(void)
{
    calls++;  //~ 0 killed; open: 10 `++` -> `--` (the difference stays in static variables, where no test can look)
    return 1;  //~ 2 killed
}

/* Nobody reads on after the end of a text. */
const char *letter(int n)
{
    static char text[4];
    text[0] = 'a' + (n & 3);  //~ 20 killed
    text[3] = 'x';  //~ 2 killed; open: 10 `3` -> `2` (the difference stays in static variables, where no test can look), 15 `'x'` -> `'y'` (the difference stays in static variables, where no test can look), 15 `'x'` -> `'w'` (the difference stays in static variables, where no test can look), 15 `'x'` -> `0` (the difference stays in static variables, where no test can look)
    return text;
}

static int first[2], second[2];

/* The same numbers lie in both, but a later call may tell them apart. */
int *half(int which)
{
    return which ? first : second;  //~ 0 killed; open: 12 `which` -> `(which + 1)` (original and mutant lead to memory that is hard to compare), 12 `which` -> `(which - 1)` (original and mutant lead to memory that is hard to compare), 12 `which` -> `0` (original and mutant lead to memory that is hard to compare)
}
