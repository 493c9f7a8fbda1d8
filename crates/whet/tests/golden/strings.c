/* The C library's functions on strings and characters, and assertions. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int is_word(const char *s)
{
    assert(s);
    for (; *s; s++) {
        if (!isalpha((unsigned char)*s))
            return 0;  //~ 2 killed
    }
    return 1;  //~ 2 killed
}

int same_end(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return m <= n && strcmp(s + n - m, end) == 0;  //~ 24 killed
}

long port(const char *s)
{
    const char *colon = strchr(s, ':');  //~ 3 killed
    return colon ? strtol(colon + 1, NULL, 10) : 80;  //~ 8 killed
}

void greet(char *to)
{
    strcpy(to, "hi");
}
