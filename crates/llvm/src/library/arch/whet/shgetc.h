/* Numbers are read from a text up to its end. The library would take a text for endless, by a pointer to nowhere. */
#include_next "shgetc.h"
#include <string.h>

#undef sh_fromstring
#define sh_fromstring(f, s) \
    ((f)->buf = (f)->rpos = (void *)(s), (f)->rend = (f)->buf + strlen((const char *)(s)) + 1)
