/* C leaves open which of two zeros `fmin` gives, with which number `isalpha` says yes, how far one text is from another, and
 * whether there is something where no bytes are asked for. No kill and no proof rests on it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

float not_negative(float x)
{
    return fmaxf(x, 0.0f);
}

int has_sign(double a, double b)
{
    return signbit(fmin(a, b)) != 0;  //~ 6 killed; equivalent: 32 `!=` -> `>`
}

/* Whether neighbouring operations give the same zero is open, too. */
int same_sign(double a, double b)
{
    return signbit(fmax(a, 0.0)) == signbit(fmax(b, 0.0));  //~ 3 killed; open: 34 `==` -> `<=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 34 `==` -> `>=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

/* A test asks for zero or not. */
int is_letter(unsigned char c)
{
    return isalpha(c);
}

int is_usual(unsigned char c)
{
    return isalpha(c) == 1024;  //~ 4 killed; open: 23 `==` -> `>` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 23 `==` -> `>=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 26 `1024` -> `1025` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 26 `1024` -> `1023` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

int is_word(unsigned char c)
{
    return isalnum(c) || c == '_';  //~ 11 killed
}

int kind(const char *a, const char *b)
{
    switch (strcmp(a, b)) {
    case 1:
        return 10;  //~ 0 killed; open: 16 `10` -> `11` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `10` -> `9` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `10` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    case -1:
        return 20;  //~ 0 killed; open: 16 `20` -> `21` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `20` -> `19` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `20` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    case 0:
        return 30;  //~ 3 killed
    default:
        return 40;  //~ 0 killed; open: 16 `40` -> `41` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `40` -> `39` (not confirmed: the difference is in a result that depends on what C leaves open), 16 `40` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    }
}

int is_missing(unsigned char size)
{
    char *object = malloc(size);  //~ 0 killed; open: 27 `size` -> `(size + 1)` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `size` -> `(size - 1)` (not confirmed: the mutant comes to a result that depends on what C leaves open), 27 `size` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    int missing = object == NULL;  //~ 1 killed
    free(object);
    return missing;  //~ 2 killed; open: 12 `missing` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

int is_none(unsigned char count)
{
    char *object = calloc(count, 2);  //~ 0 killed; limited: 34 `2` -> `1`; open: 27 `count` -> `(count + 1)` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `count` -> `(count - 1)` (not confirmed: the mutant comes to a result that depends on what C leaves open), 27 `count` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open), 34 `2` -> `3` (the mutant, where the original returns within the bound, ran out of fuel), 34 `2` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    int none = object == NULL;  //~ 1 killed
    free(object);
    return none;  //~ 2 killed; open: 12 `none` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

int is_gone(void)
{
    char *object = realloc(malloc(1), 0);  //~ 0 killed; equivalent: 35 `1` -> `2`; open: 35 `1` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 39 `0` -> `1` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 39 `0` -> `-1` (the mutant, where the original returns within the bound, ran out of fuel)
    return object == NULL;  //~ 0 killed; open: 19 `==` -> `!=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}
