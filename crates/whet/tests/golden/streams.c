/* What a stream holds is an input: bytes, and then its end. So is what standard input holds. */
#include <stdio.h>

/* The sum of a column of a table with commas; -1 without any line. */
int column(FILE *table, int wanted)
{
    char line[8];
    int total = -1;  //~ 2 killed
    while (fgets(line, sizeof line, table)) {
        int at = 0, number = 0;  //~ 4 killed
        for (const char *c = line; *c; c++) {
            if (*c == ',') at++;  //~ 9 killed
            else if (at == wanted && *c >= '0' && *c <= '9') number = number * 10 + (*c - '0');  //~ 47 killed; equivalent: 89 `-` -> `%`
        }
        total += number + (total < 0);  //~ 21 killed
    }
    return total;  //~ 3 killed
}

/* Letters that are not blank. */
unsigned letters(void)
{
    unsigned n = 0;  //~ 2 killed
    for (int c = getchar(); c != EOF; c = getchar())  //~ 9 killed; equivalent: 31 `!=` -> `>`
        if (c != ' ' && c != '\n') n++;  //~ 23 killed
    return n;  //~ 3 killed
}

unsigned sum(void)
{
    unsigned total = 0, x;  //~ 2 killed
    while (scanf("%u", &x) == 1) total += x;  //~ 13 killed; limited: 28 `==` -> `>=`
    return total;  //~ 3 killed
}

/* The first byte again, or what stands for the end. */
int peek(FILE *file)
{
    int c = getc(file);
    if (c != EOF) ungetc(c, file);  //~ 6 killed; limited: 9 `c` -> `(c + 1)`, 9 `c` -> `0`, 11 `!=` -> `>`, 11 `!=` -> `>=`, 14 `EOF` -> `-2`; open: 26 `c` -> `(c + 1)` (the C library comes to something unknown: a character that was not read (line 40)), 26 `c` -> `0` (the C library comes to something unknown: a character that was not read (line 40))
    return feof(file) ? -2 : getc(file);  //~ 3 killed
}

/* Who reads on finds another place. */
void skip(FILE *file, unsigned char n)
{
    while (n-- > 2) getc(file);  //~ 7 killed; limited: 13 `--` -> `++`; open: 18 `2` -> `3` (the difference stays in static variables, where no test can look)
}
