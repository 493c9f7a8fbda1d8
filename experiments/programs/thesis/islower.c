/* islower: whether a character is a lower-case letter (of ASCII).
 *
 * From Heinz Riener's thesis (2011, section 5.3) and the SymBMC paper (2011, table I), written anew from their
 * description. */

int is_lower(int c)
{
    if (c >= 'a' && c <= 'z')
        return 1;
    return 0;
}
