/* Constants: global, local, of every spelling. */
static const int base = 100;
const unsigned char mask = 0x0f;

int offset(int x)
{
    return x + base;  //~ 7 killed
}

int low(int x)
{
    return x & mask;  //~ 8 killed
}

int spelled(int x)
{
    return x == 'a' || x == 0x20 || x == 017 || x == -1;  //~ 43 killed
}

int nothing(void)
{
    return 42;  //~ 3 killed
}
