/* Two pointers that may lead to the same place. */
//~ flags: --may-alias a,b
int both(int *a, int *b)
{
    *a = 1;  //~ 2 killed
    *b = 2;  //~ 3 killed
    return *a;
}
