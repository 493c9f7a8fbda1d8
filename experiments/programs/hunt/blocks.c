#define BLOCK 48

/* A checksum that takes blocks of bytes at once, and reduces its sums after each. */
unsigned check(const unsigned char *bytes, unsigned count)
{
    unsigned one = 1, two = 0;
    while (count >= BLOCK) {
        for (unsigned at = 0; at < BLOCK; at += 4) {
            one += bytes[at] + bytes[at + 1];
            two += one;
            one += bytes[at + 2] + bytes[at + 3];
            two += one;
        }
        bytes += BLOCK;
        count -= BLOCK;
        if (one >= 8191)
            one -= 8191;
        two %= 8191;
    }
    for (; count > 0; count--) {
        one += *bytes++;
        two += one;
    }
    return two % 8191 << 16 | one % 8191;
}
