/* The first thing that is printed was never assigned, whatever the number. No fuel is enough to find a valid input. */
//~ flags: --operators ROR
#include <stdio.h>

void show(long number)
{
    char digits[40];
    int count = 0;
    while (number != 0) {  //~ 0 killed; open: 19 `!=` -> `<` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 19 `!=` -> `<=` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 19 `!=` -> `>` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 19 `!=` -> `>=` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 19 `!=` -> `==` (no input within the limits is valid for the original: read of an uninitialised variable at line 14 on all 64 that were tried; if a function that is defined elsewhere should assign it, give that function a body)
        digits[count++] = '0' + number % 16;
        number = number / 16;
    }
    for (int i = count; i >= 0; i--)  //~ 0 killed; open: 27 `>=` -> `<` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 27 `>=` -> `<=` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 27 `>=` -> `>` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 27 `>=` -> `==` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14)), 27 `>=` -> `!=` (no valid input was found: read of an uninitialised variable on 300 of 300 inputs that were tried (line 14))
        printf("%c", digits[i]);
}
