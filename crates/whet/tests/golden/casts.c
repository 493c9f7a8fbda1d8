/* A cast may take `const` away, and the object that is written need not be constant. */
void set(const int *p)
{
    *(int *)p = 3;  //~ 3 killed
}

/* Nothing is written here. */
char *find(const char *text, char c)
{
    for (; *text; text++)
        if (*text == c)  //~ 8 killed
            return (char *)text;
    return 0;
}
