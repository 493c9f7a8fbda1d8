/* A test looks at a constant buffer only if the original writes to it. A mutant that writes where the original does
 * not stays open. */
void mark(const char *text)
{
    if (text[0] == 'a')  //~ 8 killed; open: 17 `==` -> `<=` (not confirmed: a test could not see the difference that was found, such as one in how a NaN is printed, or behind a pointer to a pointer that a function without a body gets), 17 `==` -> `>=` (not confirmed: a test could not see the difference that was found, such as one in how a NaN is printed, or behind a pointer to a pointer that a function without a body gets)
        *(char *)text = 'b';  //~ 3 killed
}
