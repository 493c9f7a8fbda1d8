#include <string.h>

static const unsigned char seal[8] = {6, 28, 49, 6, 19, 88, 7, 77};

/* The weight of what is in a sealed letter. The seal is a table, so that no constant of the code tells it. */
int weight(const unsigned char *letter, unsigned size)
{
    int grams = 0;
    if (size < sizeof seal + 2)
        return -1;
    if (memcmp(letter, seal, sizeof seal) != 0)
        return -2;
    for (unsigned at = sizeof seal; at < size; at++) {
        if (letter[at] > 200)
            grams += 10;
        else if (letter[at] % 2 == 1)
            grams += 3;
    }
    return grams;
}
