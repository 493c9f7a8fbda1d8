/* What `getenv` returns is an input: a text, or none. */
#include <stdlib.h>

int is_verbose(void)
{
    const char *level = getenv("VERBOSE");
    return level != NULL && level[0] == '1';  //~ 11 killed
}
