/* Splits a string into tokens, call by call; empty tokens are skipped. */
#include <string.h>

char *split(char *text, const char *delimiters, char **state)
{
    if (text == NULL)  //~ 1 killed
        text = *state;
    text += strspn(text, delimiters);
    if (*text == '\0') {  //~ 7 killed
        *state = text;
        return NULL;
    }
    char *end = text + strcspn(text, delimiters);
    if (*end != '\0')  //~ 7 killed
        *end++ = '\0';  //~ 2 killed
    *state = end;
    return text;
}
