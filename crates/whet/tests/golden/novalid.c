/* The first thing that is printed was never assigned, whatever the number. No fuel is enough to find a valid input. */
//~ flags: --operators ROR
#include <stdio.h>

void show(long number)
{
    char digits[40];
    int count = 0;
    while (number != 0) {
        digits[count++] = '0' + number % 16;
        number = number / 16;
    }
    for (int i = count; i >= 0; i--)
        printf("%c", digits[i]);
}
