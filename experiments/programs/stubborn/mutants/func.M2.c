/* M2 of func: n = x has become n = x + 1. Only x < -1 kills it: x = -1 comes to it, but does not.
 *
 * From Chekam, Papadakis, Cordy and Le Traon, Killing Stubborn Mutants with Symbolic Execution (2020), figure 1. */

int func(int x)
{
    int n = 0, arr[] = {0, 5, 0};

    if (x >= 0) {
        if (x > 3)
            x = 3;
        while (x > 0) {
            if (arr[x - 1] == 0)
                n++;
            --x;
        }
    } else {
        n = x + 1;
    }
    if (n)
        n++;
    return n;
}
