/* A program that ends without a `return` has ended well, and `main` has its own name. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 2)  //~ 11 killed
        return 1;  //~ 2 killed
    printf("%s: %d\n", __func__, argc);  //~ 3 killed
}
