/* Tells whether lengths of code words make a complete prefix code, and how many words have the greatest length. */
int longest(const unsigned char *lengths, unsigned count)
{
    unsigned words[16] = {0};
    unsigned most = 0;
    int left = 1;
    if (count > 64)
        return -3;
    for (unsigned symbol = 0; symbol < count; symbol++) {
        if (lengths[symbol] > 15)
            return -2;
        words[lengths[symbol]]++;
        if (lengths[symbol] > most)
            most = lengths[symbol];
    }
    if (most == 0)
        return 0;
    for (unsigned length = 1; length <= most; length++) {
        left = 2 * left - (int)words[length];
        if (left < 0)
            return -1;
    }
    if (left > 0)
        return -4;
    return (int)(100 * most + words[most]);
}
