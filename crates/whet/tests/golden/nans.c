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
