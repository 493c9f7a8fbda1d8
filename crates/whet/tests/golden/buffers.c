/* What a visible pointer leads to is visible, also in a static variable. */
char *letter(int n)
{
    static char buffer[8];
    buffer[0] = 'a' + (n & 3);  //~ 20 killed
    buffer[1] = 0;  //~ 3 killed; limited: 12 `1` -> `2`
    return buffer;
}

struct counter {
    int count, step;
};

struct counter *counted(int by)
{
    static struct counter counter = { 0, 1 };
    counter.count += by * counter.step;  //~ 10 killed; limited: 25 `*` -> `/`
    return &counter;
}

const char *sign(int n)
{
    return n < 0 ? "negative" : n == 12345 ? "lucky" : "positive";  //~ 21 killed
}

/* A caller cannot name these, so all it sees is what they hold. */
const int *chosen(int which)
{
    static const int small[] = { 1, 2 }, same[] = { 1, 2 }, large[] = { 10, 20 };
    return which == 0 ? small : which == 1 ? same : large;  //~ 20 killed
}

void hand_out(char **out, int n)
{
    static char text[4];
    text[0] = n > 0 ? 'x' : 'y';  //~ 18 killed
    *out = text;
}
