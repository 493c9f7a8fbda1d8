/* Control flow: switch with fall-through, goto, ternaries, shadowing, early returns. */
enum color { RED, GREEN = 5, BLUE };

int score(enum color c)
{
    int points = 0;  //~ 2 killed
    switch (c) {  //~ 3 killed
    case RED:
        points = 1;  //~ 2 killed
        /* fall through */
    case GREEN:
        points += 10;  //~ 7 killed
        break;
    case BLUE:
        return 3;  //~ 3 killed
    default:
        points = -1;  //~ 2 killed
    }
    return points;  //~ 3 killed
}

int countdown(unsigned char n)
{
    int steps = 0;  //~ 2 killed
again:
    if (n == 0 || steps == 4)  //~ 19 killed; equivalent: 11 `==` -> `<=`, 25 `==` -> `>=`
        goto done;
    n--;  //~ 1 killed
    steps++;  //~ 1 killed
    goto again;
done:
    return steps;  //~ 3 killed
}

int shadow(int x)
{
    int y = x;  //~ 3 killed
    if (x > 3) {  //~ 11 killed
        int x = 7;  //~ 3 killed
        y = x;  //~ 3 killed
    }
    return y;  //~ 3 killed
}

int sign(int x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;  //~ 25 killed; equivalent: 26 `<` -> `!=`
}
