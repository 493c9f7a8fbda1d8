/* Statements and expressions over several lines, with comments and directives inside. */
#define WIDE 1
int lines(int a,
          int b)
{
    int c = a
#if WIDE
        + b * 2
#else
        - b
#endif
        // the rest
        - (a > b   /* both
                      lines */
           && b);
    if (a
        < b) { c = c \
        + 1; }
    else if (a ==
#ifdef WIDE
             WIDE
#endif
             ) c--;
    switch (c) {
    case 1
        : a = 2; break;
    case WIDE + 1 /* ... */ :
    case 5: return
        a;
    }
    return a ?
        b :
        c;
}
