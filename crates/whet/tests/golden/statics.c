/* A static function is judged through the functions that lead to it. */
static int twice(int x)
{
    return x * 2;  //~ 10 killed
}

/* Only even numbers come here, so one difference never shows. */
static int half(int x)
{
    return x / 2;  //~ 9 killed
}

int quadruple(int x)
{
    return twice(twice(x));  //~ 3 killed
}

int same(int x)
{
    return half(twice(x));  //~ 3 killed
}
