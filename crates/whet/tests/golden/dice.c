/* Random numbers are inputs: a test says which come. */
#include <stdlib.h>
#include <time.h>

int roll(void)
{
    return rand() % 6 + 1;
}

void shuffle(char cards[3])
{
    for (int i = 2; i > 0; i--) {
        int j = rand() % (i + 1);
        char card = cards[i];
        cards[i] = cards[j];
        cards[j] = card;
    }
}

void start(unsigned by)
{
    srand(by + 1);
}

/* No test can tell whose clock it was, and no number is negative. */
int is_impossible(void)
{
    return rand() < 0;
}

long later(void)
{
    return time(NULL) + 60;
}
