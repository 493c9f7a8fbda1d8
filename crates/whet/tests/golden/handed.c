//~ flags: --operators default
/* What a function without a body is given may be gone, or changed, when the test looks: its stub keeps a copy. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

int uart_write(const uint8_t *data, unsigned length);
void log_text(const char *text);
struct message { int id; short code; char name[4]; };
int post(struct message *m);
void publish(const int *values, int count);

static uint8_t frame[6];
uint8_t shared[4];

int send_command(uint8_t command, uint8_t value)
{
    uint8_t buffer[3];
    buffer[0] = 0x55;  //~ 8 killed
    buffer[1] = command;  //~ 5 killed
    buffer[2] = command ^ value;  //~ 9 killed
    return uart_write(buffer, 3);  //~ 8 killed
}

int send_static(uint8_t command)
{
    frame[0] = command + 1;  //~ 11 killed
    frame[1] = 7;  //~ 9 killed
    return uart_write(frame, 2);  //~ 7 killed
}

int send_shared(uint8_t v)
{
    shared[0] = v;  //~ 4 killed
    int r = uart_write(shared, 1);  //~ 3 killed
    shared[0] = 0;  //~ 5 killed
    return r;  //~ 4 killed
}

int send_struct(int id)
{
    struct message m = { .id = id + 1, .code = 3, .name = "ab" };  //~ 13 killed
    return post(&m);  //~ 3 killed
}

void greet(int polite)
{
    char text[8];
    strcpy(text, polite ? "please" : "hey");  //~ 6 killed; equivalent: 18 `polite` -> `-polite`
    log_text(text);  //~ 1 killed
}

void fill(int *values, int n)
{
    for (int i = 0; i < n; i++)  //~ 9 killed
        values[i] = i * 2;  //~ 13 killed
    publish(values, n);  //~ 4 killed
    for (int i = 0; i < n; i++)  //~ 8 killed; limited: 18 `0` -> `1`
        values[i] = 0;  //~ 6 killed
}

int heap(int n)
{
    int *p = malloc(2 * sizeof *p);  //~ 3 killed; open: 21 `2` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open), 21 `2` -> `-1` (the mutant, where the original returns within the bound, ran out of fuel), 21 `2` -> `3` (not confirmed: a test could not see the difference that was found, such as one in how a NaN is printed, or behind a pointer to a pointer that a function without a body gets), 23 `*` -> `-` (the mutant, where the original returns within the bound, ran out of fuel), 23 `*` -> `/` (not confirmed: the mutant comes to a result that depends on what C leaves open)
    if (!p) return -1;  //~ 2 killed; limited: 9 `!p` -> `0`, 13 `return -1;` -> `;`, 20 `-1` -> `0`, 20 `-1` -> `1`, 20 `-1` -> `-2`
    p[0] = n; p[1] = n - 1;  //~ 20 killed
    publish(p, 2);  //~ 7 killed
    free(p);  //~ 2 killed; limited: 5 `free(p);` -> `;`
    return 0;  //~ 2 killed
}
