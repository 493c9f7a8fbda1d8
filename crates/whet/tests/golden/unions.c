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
    if (v->kind == 1)
        return v->as.number + 1;
    if (v->kind == 2)
        return v->as.text[0];
    return -1;
}

int reuse(char *text, int n)
{
    union {
        int number;
        char *text;
    } u = {.text = text};
    u.number = n & 7;
    return u.number;
}
