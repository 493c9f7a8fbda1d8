/* M1 of func: --x has become x -= 2. Only x = 2 kills it.
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
            x -= 2;
        }
    } else {
        n = x;
    }
    if (n)
        n++;
    return n;
}
