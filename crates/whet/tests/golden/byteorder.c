/* A check of the byte order reads a part of a variable. What is never done on a machine has equivalent mutants only. */
static unsigned swap(unsigned word)
{
    return word >> 24 | word << 24;
}

unsigned sum(const unsigned *words, unsigned count)
{
    unsigned one = 1;
    unsigned sum = 0;
    for (unsigned at = 0; at < count; at++)
        sum = sum * 31 + (*(unsigned char *)&one ? words[at] : swap(words[at]));
    return sum;
}
