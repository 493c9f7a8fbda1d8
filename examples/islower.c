/* Is the character a lower-case letter (of ASCII)?
 *
 * After the benchmark `islower` of Heinz Riener's thesis (2011, section 5.3),
 * which follows Offutt and Pan (1997). */

int is_lower(int c)
{
    if (c >= 'a' && c <= 'z')  //~ 22 killed
        return 1;  //~ 2 killed
    return 0;  //~ 2 killed
}
