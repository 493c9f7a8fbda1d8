/* Random numbers are inputs: a test says which come. */
#include <stdlib.h>
#include <time.h>

int roll(void)
{
    return rand() % 6 + 1;  //~ 12 killed
}

void shuffle(char cards[3])
{
    for (int i = 2; i > 0; i--) {  //~ 13 killed; equivalent: 23 `>` -> `!=`
        int j = rand() % (i + 1);  //~ 13 killed
        char card = cards[i];  //~ 3 killed
        cards[i] = cards[j];  //~ 6 killed
        cards[j] = card;  //~ 6 killed
    }
}

void start(unsigned by)
{
    srand(by + 1);  //~ 9 killed
}

/* No test can tell whose clock it was, and no number is negative. */
int is_impossible(void)
{
    return rand() < 0;  //~ 6 killed; equivalent: 21 `0` -> `-1`
}

long later(void)
{
    return time(NULL) + 60;  //~ 7 killed
}
