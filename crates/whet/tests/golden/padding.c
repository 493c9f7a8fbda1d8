/* Nobody knows what a caller leaves between the fields of a struct. To copy it is fine. An input is not valid if what the original
 * does depends on it. */
#include <string.h>

struct mixed {
    char letter;
    int number;
};

int same(const struct mixed *a, const struct mixed *b)
{
    return memcmp(a, b, sizeof *a) == 0;  //~ 5 killed; open: 39 `0` -> `1` (not confirmed: the mutant comes to a result that depends on what C leaves open), 39 `0` -> `-1` (not confirmed: the mutant comes to a result that depends on what C leaves open)
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
    return memcmp(&first, &other, sizeof first) == 0;  //~ 5 killed; open: 52 `0` -> `1` (not confirmed: the mutant comes to a result that depends on what C leaves open), 52 `0` -> `-1` (not confirmed: the mutant comes to a result that depends on what C leaves open)
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

/* C copies the members. What lies between them has no value afterwards. */
int is_copied(char letter)
{
    struct mixed one, other;
    memset(&one, 0, sizeof one);  //~ 0 killed; open: 18 `0` -> `1` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 18 `0` -> `-1` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried)
    memset(&other, 0, sizeof other);  //~ 0 killed; equivalent: 20 `0` -> `1`, 20 `0` -> `-1`
    one.letter = letter;  //~ 0 killed; open: 18 `letter` -> `(letter + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 18 `letter` -> `(letter - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 18 `letter` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried)
    other = one;
    return memcmp(&one, &other, sizeof one) == 0;  //~ 0 killed; open: 45 `==` -> `<` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 45 `==` -> `<=` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 45 `==` -> `>` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 45 `==` -> `>=` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 45 `==` -> `!=` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 48 `0` -> `1` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried), 48 `0` -> `-1` (no input within the limits is valid for the original: read of an uninitialised variable at line 79 on all 64 that were tried)
}

struct nested {
    struct mixed in;
};

int is_copied_from_member(char letter)
{
    struct nested whole, *at = &whole;
    memset(&whole, 0, sizeof whole);  //~ 0 killed; open: 20 `0` -> `1` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 20 `0` -> `-1` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried)
    whole.in.letter = letter;  //~ 0 killed; open: 23 `letter` -> `(letter + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 23 `letter` -> `(letter - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 23 `letter` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried)
    struct mixed part = at->in;
    return memcmp(&part, &whole, sizeof part) == 0;  //~ 0 killed; open: 47 `==` -> `<` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 47 `==` -> `<=` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 47 `==` -> `>` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 47 `==` -> `>=` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 47 `==` -> `!=` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 50 `0` -> `1` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried), 50 `0` -> `-1` (no input within the limits is valid for the original: read of an uninitialised variable at line 92 on all 64 that were tried)
}

static struct mixed made(char letter)
{
    struct mixed one;
    memset(&one, 0, sizeof one);  //~ 0 killed; 2 alone
    one.letter = letter;  //~ 0 killed; 3 alone
    return one;
}

int byte_of_result(char letter)
{
    struct mixed one = made(letter);  //~ 0 killed; open: 29 `letter` -> `(letter + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 29 `letter` -> `(letter - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 29 `letter` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried)
    return ((const unsigned char *)&one)[1] + one.letter;  //~ 0 killed; open: 42 `1` -> `2` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 42 `1` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 45 `+` -> `-` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 45 `+` -> `*` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 45 `+` -> `/` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried), 45 `+` -> `%` (no input within the limits is valid for the original: read of an uninitialised variable at line 106 on all 64 that were tried)
}

struct large {
    char letter;
    long numbers[3];
};

static int second_byte(struct large by_value)
{
    return ((const unsigned char *)&by_value)[1];  //~ 0 killed; open: 47 `1` -> `2` (no input within the limits is valid for the original: read of an uninitialised variable at line 123 on all 64 that were tried), 47 `1` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 123 on all 64 that were tried)
}

int byte_of_argument(char letter)
{
    struct large one;
    memset(&one, letter, sizeof one);  //~ 0 killed; open: 18 `letter` -> `(letter + 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 123 on all 64 that were tried), 18 `letter` -> `(letter - 1)` (no input within the limits is valid for the original: read of an uninitialised variable at line 123 on all 64 that were tried), 18 `letter` -> `0` (no input within the limits is valid for the original: read of an uninitialised variable at line 123 on all 64 that were tried)
    return second_byte(one);
}

/* A call of `memcpy` copies all. */
#define COPY(to, from) memcpy(&to, &from, sizeof to)

int is_copied_whole(char letter)
{
    struct mixed one, other, third;
    memset(&one, 0, sizeof one);  //~ 0 killed; equivalent: 18 `0` -> `1`, 18 `0` -> `-1`
    one.letter = letter;  //~ 0 killed; equivalent: 18 `letter` -> `(letter + 1)`, 18 `letter` -> `(letter - 1)`, 18 `letter` -> `0`
    memcpy(&other, &one, sizeof other);
    COPY(third, other);
    return memcmp(&one, &third, sizeof one) == 0;  //~ 5 killed; equivalent: 45 `==` -> `<=`, 45 `==` -> `>=`
}
