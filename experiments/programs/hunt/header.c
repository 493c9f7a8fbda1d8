/* Reads a file of records: a mark, a version, how many records there are, and for each its length and its bytes. Sums up
 * the bytes, or says what is wrong. */
int sum(const unsigned char *bytes, unsigned size)
{
    unsigned at = 8, total = 0;
    if (size < 8)
        return -1;
    if (bytes[0] != 0x57 || bytes[1] != 0xb3 || bytes[2] != 0x0d)
        return -2;
    if (bytes[3] != 2)
        return -3;
    unsigned records = bytes[4] | bytes[5] << 8;
    if ((bytes[6] ^ bytes[7]) != 0x5a)
        return -4;
    for (unsigned record = 0; record < records; record++) {
        if (at >= size)
            return -5;
        unsigned length = bytes[at++];
        if (length > size - at)
            return -6;
        for (unsigned end = at + length; at < end; at++)
            total = total * 3 + bytes[at];
    }
    return (int)(total % 10007);
}
