/* func: a program with two stubborn mutants, in the folder mutants.
 *
 * From Chekam, Papadakis, Cordy and Le Traon, Killing Stubborn Mutants with Symbolic Execution (2020), figure 1. M1 has
 * x -= 2 in place of --x, and only x = 2 kills it. M2 has n = x + 1 in place of n = x: x = -1 comes to the change, but
 * does not kill it; every x below that does. */

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
