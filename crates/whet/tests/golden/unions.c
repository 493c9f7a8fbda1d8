/* A union may hold a pointer or a number. No test can say what number an address is. */
struct value {
    int kind;
    union {
        int number;
        char *text;
    } as;
};

int first(struct value *v)
{
    if (v->kind == 1)  //~ 7 killed
        return v->as.number + 1;  //~ 6 killed
    if (v->kind == 2)  //~ 8 killed
        return v->as.text[0];  //~ 2 killed
    return -1;  //~ 2 killed
}

int reuse(char *text, int n)
{
    union {
        int number;
        char *text;
    } u = {.text = text};
    u.number = n & 7;  //~ 11 killed
    return u.number;
}
