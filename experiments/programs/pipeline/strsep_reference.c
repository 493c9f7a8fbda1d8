/* strsep: cuts the next token off a text, at any of the delimiters.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 10. The reference: nothing is wrong here. */
#include <stddef.h>

char *strsep(char **rest, const char *delimiters)
{
    char *token = *rest;

    if (token == NULL)
        return NULL;
    for (char *end = token; *end != '\0'; end++)
        for (const char *d = delimiters; *d != '\0'; d++)
            if (*end == *d) {
                *end = '\0';
                *rest = end + 1;
                return token;
            }
    *rest = NULL;
    return token;
}
