/* What is printed is observed. */
#include <stdio.h>

void report(int n)
{
    if (n < 0) {  //~ 10 killed
        fprintf(stderr, "negative: %d\n", n);  //~ 3 killed
        return;
    }
    for (int i = 0; i < n && i < 3; i++)  //~ 23 killed; equivalent: 23 `<` -> `!=`, 32 `<` -> `!=`
        putchar('*');  //~ 3 killed
    puts("");
    printf("%d of %s\n", n, n > 3 ? "many" : "few");  //~ 14 killed
}
