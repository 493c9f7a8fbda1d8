/* Control flow: switch with fall-through, goto, ternaries, shadowing, early returns. */
enum color { RED, GREEN = 5, BLUE };

int score(enum color c)
{
    int points = 0;
    switch (c) {
    case RED:
        points = 1;
        /* fall through */
    case GREEN:
        points += 10;
        break;
    case BLUE:
        return 3;
    default:
        points = -1;
    }
    return points;
}

int countdown(unsigned char n)
{
    int steps = 0;
again:
    if (n == 0 || steps == 4)
        goto done;
    n--;
    steps++;
    goto again;
done:
    return steps;
}

int shadow(int x)
{
    int y = x;
    if (x > 3) {
        int x = 7;
        y = x;
    }
    return y;
}

int sign(int x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
