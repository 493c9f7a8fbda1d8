/* A check of the byte order reads a part of a variable. What is never done on a machine has equivalent mutants only. */
static unsigned swap(unsigned word)
{
    return word >> 24 | word << 24;  //~ 0 killed; equivalent: 12 `word` -> `(word + 1)`, 12 `word` -> `(word - 1)`, 12 `word` -> `0U`, 12 `word >> 24` -> `(unsigned int)((int)(word) >> (24))`, 12 `word >> 24 | word << 24` -> `word >> 24 << (word << 24)`, 12 `word >> 24 | word << 24` -> `word >> 24 >> (word << 24)`, 12 `word >> 24 | word << 24` -> `(unsigned int)((int)(word >> 24) >> (word << 24))`, 17 `>>` -> `<<`, 20 `24` -> `25`, 20 `24` -> `23`, 20 `24` -> `0`, 23 `|` -> `&`, 23 `|` -> `^`, 25 `word` -> `(word + 1)`, 25 `word` -> `(word - 1)`, 25 `word` -> `0U`, 25 `word << 24` -> `(unsigned int)((int)(word) >> (24))`, 30 `<<` -> `>>`, 33 `24` -> `25`, 33 `24` -> `23`, 33 `24` -> `0`
}

unsigned sum(const unsigned *words, unsigned count)
{
    unsigned one = 1;  //~ 1 killed; equivalent: 20 `1` -> `2`
    unsigned sum = 0;  //~ 2 killed
    for (unsigned at = 0; at < count; at++)  //~ 13 killed; equivalent: 30 `<` -> `!=`
        sum = sum * 31 + (*(unsigned char *)&one ? words[at] : swap(words[at]));  //~ 17 killed; equivalent: 75 `at` -> `(at + 1)`, 75 `at` -> `(at - 1)`, 75 `at` -> `0U`
    return sum;  //~ 3 killed
}
