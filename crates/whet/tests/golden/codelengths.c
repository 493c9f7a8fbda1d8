/* Lengths of prefix codes, as a decoder reads them before it builds its tables: counted in an array of its own, added up,
 * and used as places. A loop ends early, and what it has counted is used after it. */
#define LONGEST 3

static const unsigned char extra[] = {1, 0, 2};

int longest(const unsigned char *lengths, unsigned char codes, unsigned char wanted)
{
    unsigned char count[LONGEST + 1] = {0};  //~ 0 killed; limited: 41 `0` -> `1`, 41 `0` -> `-1`
    for (unsigned i = 0; i < codes; i++)  //~ 13 killed; equivalent: 28 `<` -> `!=`
        count[lengths[i]]++;  //~ 3 killed; limited: 26 `++` -> `--`
    unsigned max;
    for (max = LONGEST; max >= 1; max--)  //~ 11 killed
        if (count[max] != 0)  //~ 9 killed; equivalent: 24 `!=` -> `>`
            break;
    if (wanted > max)  //~ 8 killed; equivalent: 9 `wanted` -> `(wanted + 1)`, 16 `>` -> `>=`, 18 `max` -> `(max - 1)`
        wanted = max;  //~ 3 killed
    return max ? wanted + extra[max - 1] : -1;  //~ 21 killed
}

int room(const unsigned char *count)
{
    int left = 1;  //~ 2 killed
    for (int length = 1; length <= LONGEST; length++) {  //~ 14 killed
        left <<= 1;  //~ 7 killed
        left -= count[length];  //~ 7 killed
        if (left < 0)  //~ 10 killed
            return -1;  //~ 2 killed
    }
    return left;  //~ 3 killed
}

void places(const unsigned char *count, unsigned char *place)
{
    place[1] = 0;  //~ 4 killed
    for (int length = 1; length < LONGEST; length++)  //~ 13 killed; equivalent: 33 `<` -> `!=`
        place[length + 1] = place[length] + count[length];  //~ 19 killed
}
