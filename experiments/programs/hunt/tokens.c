#include <string.h>

/* What a line of a small command language costs. */
int cost(const char *line)
{
    int price = 0;
    if (strcmp(line, "empty") == 0)
        return 1;
    if (strncmp(line, "drill ", 6) == 0) {
        for (line += 6; *line >= '0' && *line <= '9' && price < 1000; line++)
            price = price * 10 + (*line - '0');
        return price > 40 ? price * 3 : price + 2;
    }
    if (strncmp(line, "paint", 5) == 0) {
        price = 12;
        for (line += 5; *line == '!'; line++)
            price += 7;
        return strcmp(line, " twice") == 0 ? 2 * price : price;
    }
    return -1;
}
