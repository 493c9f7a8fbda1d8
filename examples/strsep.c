/* Cuts the next token off a string, at any of the delimiters. */
#include <stddef.h>

char *next_token(char **rest, const char *delimiters)
{
    char *token = *rest;
    if (token == NULL)  //~ 1 killed
        return NULL;
    for (char *end = token; *end != '\0'; end++) {  //~ 7 killed
        for (const char *d = delimiters; *d != '\0'; d++) {  //~ 7 killed
            if (*end == *d) {  //~ 5 killed
                *end = '\0';  //~ 2 killed
                *rest = end + 1;  //~ 2 killed
                return token;
            }
        }
    }
    *rest = NULL;
    return token;
}
