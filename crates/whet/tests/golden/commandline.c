/* What `main` is given is a command line: strings, and a null pointer behind them. */
#include <string.h>

static int is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0';  //~ 19 killed
}

int main(int argc, char **argv)
{
    int flags = 0;  //~ 2 killed
    if (argc < 2)  //~ 11 killed
        return 2;  //~ 3 killed
    for (int i = 1; argv[i] != NULL; i++)  //~ 7 killed
        flags += is_flag(argv[i]);  //~ 7 killed
    if (strcmp(argv[argc - 1], "-v") == 0)  //~ 16 killed
        return 3;  //~ 3 killed
    return flags > 0;  //~ 9 killed; limited: 18 `>` -> `!=`
}
