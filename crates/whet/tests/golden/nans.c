/* A NaN that an operation gives has a sign and a payload of its own on each machine. Nothing is decided by them. */
#include <math.h>
#include <string.h>

int sign_of_quotient(float x)
{
    return signbit(x / 1.0f) != 0;  //~ 6 killed; equivalent: 30 `!=` -> `>`
}

unsigned by_member(float x)
{
    union {
        float number;
        unsigned bits;
    } u;
    u.number = x - x;  //~ 3 killed
    return u.bits;
}

unsigned by_copy(float x)
{
    float y = x - x;  //~ 1 killed; open: 17 `-` -> `*` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 17 `-` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    unsigned bits;
    memcpy(&bits, &y, sizeof bits);
    return bits >> 31;  //~ 1 killed; open: 12 `bits` -> `(bits + 1)` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 12 `bits` -> `0U` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 12 `bits >> 31` -> `(unsigned int)((int)(bits) >> (31))` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 17 `>>` -> `<<` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 20 `31` -> `30` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 20 `31` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

float other_sign(float x)
{
    return copysignf(1.0f, x - x);  //~ 1 killed; open: 30 `-` -> `*` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 30 `-` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
}

/* Every NaN has such an exponent. */
int is_finite(float x)
{
    union {
        float number;
        unsigned bits;
    } u = {.number = x - x};  //~ 3 killed
    return (u.bits & 0x7f800000) != 0x7f800000;  //~ 11 killed; equivalent: 34 `!=` -> `<`; open: 22 `0x7f800000` -> `0x7f800001` (not confirmed: the mutant comes to a result that depends on what C leaves open)
}

/* What one function stores as a float, another one reads as something else. */
static unsigned bits_at(const float *number)
{
    return *(const unsigned *)number;
}

unsigned by_pointer(float x)
{
    float y = x - x;  //~ 1 killed; open: 17 `-` -> `*` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 17 `-` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    return bits_at(&y) >> 31;  //~ 0 killed; open: 12 `bits_at(&y) >> 31` -> `(unsigned int)((int)(bits_at(&y)) >> (31))` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 24 `>>` -> `<<` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `31` -> `30` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 27 `31` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

static unsigned char byte_at(const void *numbers, int at)
{
    return ((const unsigned char *)numbers)[at];  //~ 1 killed; 2 alone
}

int by_bytes(float x)
{
    float y[2] = {x - x, x};  //~ 1 killed; open: 21 `-` -> `*` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 21 `-` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    return byte_at(y, 3) >> 7;  //~ 3 killed; equivalent: 12 `byte_at(y, 3) >> 7` -> `(int)((unsigned int)(byte_at(y, 3)) >> (7))`; open: 23 `3` -> `2` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 23 `3` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 26 `>>` -> `&` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 26 `>>` -> `<<` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 29 `7` -> `8` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 29 `7` -> `6` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 29 `7` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

union word {
    float number;
    unsigned bits;
};

static void put(union word *word, float x)
{
    word->number = x - x;  //~ 1 killed; 2 alone
}

unsigned by_union(float x)
{
    union word word;
    put(&word, x);
    return word.bits >> 31;  //~ 0 killed; open: 12 `word.bits >> 31` -> `(unsigned int)((int)(word.bits) >> (31))` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 22 `>>` -> `<<` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 25 `31` -> `30` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 25 `31` -> `0` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

/* The NaN that most machines give. */
int is_default(float x)
{
    union word word = {.number = x - x};  //~ 0 killed; open: 36 `-` -> `+` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 36 `-` -> `*` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 36 `-` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    return word.bits == 0xffc00000u;  //~ 4 killed; open: 22 `==` -> `>` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 22 `==` -> `>=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 25 `0xffc00000u` -> `0xffc00001u` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 25 `0xffc00000u` -> `0xffbfffffu` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}

/* To move a NaN leaves its bits alone, and so does a loop over floats. */
int same_bits(const float *a, int n)
{
    float copy[3];
    if (n < 0 || n > 3)  //~ 21 killed
        return 0;  //~ 2 killed
    for (int i = 0; i < n; i++)  //~ 13 killed; equivalent: 23 `<` -> `!=`
        copy[i] = a[i];  //~ 6 killed
    return memcmp(a, copy, n * sizeof *a) == 0;  //~ 9 killed; limited: 28 `n` -> `0`, 30 `*` -> `/`, 30 `*` -> `%`, 43 `==` -> `<=`, 43 `==` -> `>=`
}

/* Two NaNs need not be the same. */
int is_commutative(float x, float y)
{
    float one = x + y, other = y + x;  //~ 6 killed
    return memcmp(&one, &other, sizeof one) == 0;  //~ 5 killed; open: 45 `==` -> `<=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open), 45 `==` -> `>=` (not confirmed: the witness is not valid for the original: a result that depends on what C leaves open)
}
