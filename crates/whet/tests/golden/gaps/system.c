/* What the system does with memory is not known, whoever has declared the function. */
#include <string.h>
void swab();

char first(char *to, const char *from)
{
    memccpy(to, from, 0, 1);  //~ 0 killed; open: 23 `0` -> `1` (a call to `memccpy`, a function of the system that Whet does not know (line 7)), 23 `0` -> `-1` (a call to `memccpy`, a function of the system that Whet does not know (line 7)), 26 `1` -> `2` (a call to `memccpy`, a function of the system that Whet does not know (line 7)), 26 `1` -> `0` (a call to `memccpy`, a function of the system that Whet does not know (line 7))
    return to[0];  //~ 0 killed; open: 15 `0` -> `1` (a call to `memccpy`, a function of the system that Whet does not know (line 7)), 15 `0` -> `-1` (a call to `memccpy`, a function of the system that Whet does not know (line 7))
}

void turned(char *to, const char *from)
{
    swab(from, to, 2L);  //~ 0 killed; open: 20 `2L` -> `3L` (a call to `swab`, a function of the system that Whet does not know (line 13)), 20 `2L` -> `1L` (a call to `swab`, a function of the system that Whet does not know (line 13)), 20 `2L` -> `0L` (a call to `swab`, a function of the system that Whet does not know (line 13))
}
