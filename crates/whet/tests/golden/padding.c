/* Nobody knows what a caller leaves between the fields of a struct. To copy it is fine. An input is not valid if what the original
 * does depends on it. */
#include <string.h>

struct mixed {
    char letter;
    int number;
};

int same(const struct mixed *a, const struct mixed *b)
{
    return memcmp(a, b, sizeof *a) == 0;  //~ 7 killed
}

int gap(struct mixed by_value)
{
    return memcmp((const char *)&by_value + 1, "\0\0", 3) == 0;  //~ 0 killed; open: 45 `1` -> `2` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 45 `1` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 56 `3` -> `4` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 56 `3` -> `2` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 56 `3` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 59 `==` -> `<` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 59 `==` -> `<=` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 59 `==` -> `>` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 59 `==` -> `>=` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 59 `==` -> `!=` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 62 `0` -> `1` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried), 62 `0` -> `-1` (no input within the limits is valid for the original: read of an uninitialised variable at line 17 on all 64 that were tried)
}

int same_letter(const struct mixed *a, const struct mixed *b)
{
    return memcmp(a, b, 1) == 0;  //~ 8 killed; open: 25 `1` -> `2` (not confirmed: no sanitizer confirms the read of an uninitialised variable)
}

void copy(struct mixed *to, const struct mixed *from)
{
    memcpy(to, from, sizeof *to);
}

int sum(struct mixed by_value)
{
    struct mixed other = by_value;
    return other.letter + other.number;  //~ 4 killed
}

struct flags {
    unsigned low : 3, high : 7;
};

unsigned high(struct flags *flags)
{
    flags->low = 1;  //~ 2 killed
    return flags->high;
}

/* Whether a compiler assigns what is between the members of a local variable is up to it. */
int is_first(char letter, int number)
{
    struct mixed first = {'a', 1}, other;  //~ 0 killed; equivalent: 32 `1` -> `2`, 32 `1` -> `0`; open: 27 `'a'` -> `'b'` (not confirmed: no sanitizer confirms the read of an uninitialised variable), 27 `'a'` -> `'`'` (not confirmed: no sanitizer confirms the read of an uninitialised variable), 27 `'a'` -> `0` (not confirmed: no sanitizer confirms the read of an uninitialised variable)
    memset(&other, 0, sizeof other);  //~ 0 killed; equivalent: 20 `0` -> `1`, 20 `0` -> `-1`
    other.letter = letter;  //~ 0 killed; equivalent: 20 `letter` -> `0`; open: 20 `letter` -> `(letter + 1)` (not confirmed: no sanitizer confirms the read of an uninitialised variable), 20 `letter` -> `(letter - 1)` (not confirmed: no sanitizer confirms the read of an uninitialised variable)
    other.number = number;  //~ 0 killed; equivalent: 20 `number` -> `(number + 1)`, 20 `number` -> `(number - 1)`, 20 `number` -> `0`
    return memcmp(&first, &other, sizeof first) == 0;  //~ 7 killed
}

int is_first_by_members(char letter)
{
    struct mixed first = {'a', 1};  //~ 5 killed
    return memcmp(&first, &letter, 1) == 0 && first.number == 1;  //~ 14 killed; equivalent: 60 `==` -> `<=`, 60 `==` -> `>=`
}

int is_cleared(char letter)
{
    struct mixed one, other;
    memset(&one, 0, sizeof one);  //~ 2 killed
    memset(&other, 0, sizeof other);  //~ 2 killed
    one.letter = letter;  //~ 3 killed
    return memcmp(&one, &other, sizeof one) == 0;  //~ 6 killed; equivalent: 45 `==` -> `<=`
}
