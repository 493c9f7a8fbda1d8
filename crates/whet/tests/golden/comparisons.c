/* C demands of a comparison that it does not contradict itself, that it looks at nothing but its two elements, and of an array
 * that is searched that it is sorted. If a mutant does otherwise, no proof rests on what one library makes of it. */
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const int *one = a, *other = b;
    return (*one > *other) - (*one < *other);  //~ 13 killed; 1 alone
}

void sort(int numbers[2])
{
    qsort(numbers, 2, sizeof *numbers, by_value);  //~ 3 killed
}

/* It is never asked about equal elements in a way that counts. */
static int by_letter(const void *a, const void *b)
{
    return *(const char *)a < *(const char *)b ? -1 : 1;  //~ 2 killed; 3 alone; equivalent: 29 `<` -> `<=`, 50 `-1` -> `0`, 50 `-1` -> `-2`, 55 `1` -> `2`
}

void sort_letters(char letters[2])
{
    qsort(letters, 2, 1, by_letter);  //~ 5 killed
}

int has(const int numbers[2], int wanted)
{
    return bsearch(&wanted, numbers, 2, sizeof *numbers, by_value) != NULL;  //~ 4 killed
}
