/* Copies between places that may be in one object, or not. */
//~ flags: --operators CR
#include <string.h>

/* Few numbers lead to `a`, and only there do the two overlap. */
int may_overlap(unsigned k)
{
    char a[16], b[16];
    memset(a, 7, sizeof a);  //~ 7 killed
    memset(b, 7, sizeof b);  //~ 7 killed
    char *p = k * 2654435761u == 0xdeadbeefu ? a : b;  //~ 0 killed; equivalent: 19 `2654435761u` -> `0u`, 19 `2654435761u` -> `1u`, 19 `2654435761u` -> `4294967295u`, 19 `2654435761u` -> `2654435762u`, 19 `2654435761u` -> `2654435760u`, 34 `0xdeadbeefu` -> `0u`, 34 `0xdeadbeefu` -> `0x1u`, 34 `0xdeadbeefu` -> `0xffffffffu`, 34 `0xdeadbeefu` -> `0xdeadbef0u`, 34 `0xdeadbeefu` -> `0xdeadbeeeu`
    memcpy(p + 8, a, 4);  //~ 7 killed; equivalent: 16 `8` -> `0`, 16 `8` -> `9`, 16 `8` -> `7`, 22 `4` -> `0`, 22 `4` -> `1`, 22 `4` -> `5`, 22 `4` -> `3`
    return p[12];  //~ 6 killed; equivalent: 14 `12` -> `0`, 14 `12` -> `1`, 14 `12` -> `13`, 14 `12` -> `11`
}
