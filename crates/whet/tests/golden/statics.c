/* A static function is judged through the functions that lead to it. */
static int twice(int x)
{
    return x * 2;
}

/* Only even numbers come here, so one difference never shows. */
static int half(int x)
{
    return x / 2;
}

int quadruple(int x)
{
    return twice(twice(x));
}

int same(int x)
{
    return half(twice(x));
}
