/* Memory from the heap. */
#include <stdlib.h>

char *shouted(char c)
{
    char *text = malloc(3);  //~ 2 killed; equivalent: 25 `3` -> `4`
    text[0] = c;  //~ 3 killed
    text[1] = '!';  //~ 3 killed
    text[2] = '\0';  //~ 2 killed
    return text;
}

int third(int x)
{
    int *a = calloc(3, sizeof *a);  //~ 1 killed; equivalent: 21 `3` -> `4`, 21 `3` -> `2`
    a[0] = x;  //~ 3 killed
    a = realloc(a, 4 * sizeof *a);
    a[3] = 7;  //~ 3 killed
    int result = a[0] + a[1] + a[3];  //~ 7 killed; equivalent: 23 `+` -> `-`
    free(a);
    return result;  //~ 3 killed
}
