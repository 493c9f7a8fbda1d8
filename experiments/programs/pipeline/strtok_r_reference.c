/* strtok_r: splits a text into tokens, call by call; empty tokens are skipped.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 11. The reference: nothing is wrong here. */
#include <string.h>

char *strtok_r(char *text, const char *delimiters, char **rest)
{
    char *end;

    if (text == NULL)
        text = *rest;
    size_t lead = strspn(text, delimiters);
    size_t length = lead + strcspn(text + lead, delimiters);
    text += lead;
    if (*text == '\0') {
        *rest = text;
        return NULL;
    }
    end = text + length - lead;
    if (*end != '\0')
        *end++ = '\0';
    *rest = end;
    return text;
}
