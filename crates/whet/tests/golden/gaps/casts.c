/* A test looks at a constant buffer only if the original writes to it. A mutant that writes where the original does
 * not stays open. */
void mark(const char *text)
{
    if (text[0] == 'a')  //~ 8 killed; open: 17 `==` -> `<=` (not confirmed: the input found for it shows no difference that a test could see: a stub, for example, does not look behind a pointer to a pointer), 17 `==` -> `>=` (not confirmed: the input found for it shows no difference that a test could see: a stub, for example, does not look behind a pointer to a pointer)
        *(char *)text = 'b';  //~ 3 killed
}
