/* Whether equal string literals are one object is open, and whether one begins within another. No kill and no proof rests on
 * it. What is computed from one pointer is compared as ever. */
#include <string.h>

int by_text(void)
{
    return "abc" == "abc";  //~ 0 killed; open: 18 `==` -> `<` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 7 on all 1 that were tried), 18 `==` -> `<=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 7 on all 1 that were tried), 18 `==` -> `>` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 7 on all 1 that were tried), 18 `==` -> `>=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 7 on all 1 that were tried), 18 `==` -> `!=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 7 on all 1 that were tried)
}

int by_variables(int x)
{
    const char *a = x > 3 ? "abc" : "abcd", *b = "abc";  //~ 0 killed; equivalent: 21 `x` -> `0`, 25 `3` -> `4`; open: 21 `x` -> `(x + 1)` (a result that depends on what C leaves open in the mutant (line 13)), 21 `x` -> `(x - 1)` (a result that depends on what C leaves open in the mutant (line 13)), 23 `>` -> `<` (a result that depends on what C leaves open in the mutant (line 13)), 23 `>` -> `<=` (a result that depends on what C leaves open in the mutant (line 13)), 23 `>` -> `>=` (a result that depends on what C leaves open in the mutant (line 13)), 23 `>` -> `==` (a result that depends on what C leaves open in the mutant (line 13)), 23 `>` -> `!=` (a result that depends on what C leaves open in the mutant (line 13)), 25 `3` -> `2` (a result that depends on what C leaves open in the mutant (line 13)), 25 `3` -> `0` (a result that depends on what C leaves open in the mutant (line 13))
    return a == b;  //~ 1 killed; open: 14 `==` -> `<` (a result that depends on what C leaves open in the mutant (line 13)), 14 `==` -> `<=` (a result that depends on what C leaves open in the mutant (line 13)), 14 `==` -> `>` (a result that depends on what C leaves open in the mutant (line 13)), 14 `==` -> `>=` (a result that depends on what C leaves open in the mutant (line 13))
}

static const char *const one = "key", *const other = "key";

int by_constants(void)
{
    return one == other;  //~ 0 killed; open: 16 `==` -> `<` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 20 on all 1 that were tried), 16 `==` -> `<=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 20 on all 1 that were tried), 16 `==` -> `>` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 20 on all 1 that were tried), 16 `==` -> `>=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 20 on all 1 that were tried), 16 `==` -> `!=` (no input within the limits is valid for the original: a result that depends on what C leaves open at line 20 on all 1 that were tried)
}

int by_end(unsigned char i)
{
    const char *text = "xabc", *end = "abc";
    return text + i % 3 == end;  //~ 1 killed; equivalent: 19 `i` -> `0`, 19 `i % 3` -> `(i + 3)`, 19 `i % 3` -> `(i - 3)`, 21 `%` -> `*`; open: 19 `i` -> `(i + 1)` (a result that depends on what C leaves open in the mutant (line 26)), 19 `i` -> `(i - 1)` (a result that depends on what C leaves open in the mutant (line 26)), 21 `%` -> `/` (a result that depends on what C leaves open in the mutant (line 26)), 23 `3` -> `4` (a result that depends on what C leaves open in the mutant (line 26)), 23 `3` -> `2` (a result that depends on what C leaves open in the mutant (line 26)), 25 `==` -> `<` (a result that depends on what C leaves open in the mutant (line 26)), 25 `==` -> `<=` (a result that depends on what C leaves open in the mutant (line 26)), 25 `==` -> `>` (a result that depends on what C leaves open in the mutant (line 26)), 25 `==` -> `>=` (a result that depends on what C leaves open in the mutant (line 26))
}

/* The caller sees the text only. */
const char *name(int x)
{
    return x > 3 ? "abc" : "abc";  //~ 0 killed; equivalent: 12 `x` -> `(x + 1)`, 12 `x` -> `(x - 1)`, 12 `x` -> `0`, 14 `>` -> `<`, 14 `>` -> `<=`, 14 `>` -> `>=`, 14 `>` -> `==`, 14 `>` -> `!=`, 16 `3` -> `4`, 16 `3` -> `2`, 16 `3` -> `0`
}

static int length(const char *text)
{
    int n = 0;  //~ 2 killed
    for (const char *at = text, *end = text + strlen(text); at != end; at++)  //~ 4 killed; equivalent: 64 `!=` -> `<`
        n++;  //~ 1 killed
    return n;  //~ 3 killed
}

int lengths(int x)
{
    return length("hello") + length("hello") + x;  //~ 11 killed
}

int is_default(int x)
{
    const char *none = "none", *chosen = none;
    if (x > 3)  //~ 11 killed
        chosen = "some";
    return chosen == none;  //~ 3 killed; open: 19 `==` -> `<=` (comparison or difference of pointers into different objects in the mutant (line 53)), 19 `==` -> `>=` (comparison or difference of pointers into different objects in the mutant (line 53))
}
