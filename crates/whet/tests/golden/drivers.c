/* Static functions that other files call by way of a variable. */
struct driver {
    const char *name;
    int (*start)(int speed);
    void (*stop)(int *state);
};

static int start(int speed)
{
    return speed / 2;  //~ 9 killed
}

static void stop(int *state)
{
    *state = 0;  //~ 2 killed
}

const struct driver uart = { "uart", start, stop };

static int add(int a, int b)
{
    return a + b;  //~ 10 killed
}

static int negated(int a, int b)
{
    return -a - 0 * b;  //~ 12 killed; equivalent: 15 `-` -> `+`, 21 `b` -> `(b + 1)`, 21 `b` -> `(b - 1)`, 21 `b` -> `0`
}

int (*operations[])(int, int) = { add, negated };

static int spi_start(int speed)
{
    return speed & 1;  //~ 10 killed
}

static const struct driver spi = { "spi", spi_start, stop };

const struct driver *const drivers[] = { &uart, &spi };
