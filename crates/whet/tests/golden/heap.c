/* Memory from the heap. */
#include <stdlib.h>

char *shouted(char c)
{
    char *text = malloc(3);  //~ 2 killed; equivalent: 25 `3` -> `4`
    text[0] = c;  //~ 5 killed
    text[1] = '!';  //~ 5 killed
    text[2] = '\0';  //~ 5 killed
    return text;
}

int third(int x)
{
    int *a = calloc(3, sizeof *a);  //~ 1 killed; equivalent: 21 `3` -> `4`, 21 `3` -> `2`
    a[0] = x;  //~ 4 killed; equivalent: 7 `0` -> `1`
    a = realloc(a, 4 * sizeof *a);  //~ 6 killed; equivalent: 20 `4` -> `5`
    a[3] = 7;  //~ 6 killed
    int result = a[0] + a[1] + a[3];  //~ 13 killed; equivalent: 23 `+` -> `-`, 27 `1` -> `2`
    free(a);
    return result;  //~ 3 killed
}
