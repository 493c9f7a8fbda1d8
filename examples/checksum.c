/* Checksums over blocks of bytes. */
#include <stddef.h>
#include <stdint.h>

/* CRC-8 with the polynomial x^8 + x^2 + x + 1. */
uint8_t crc8(const uint8_t *data, size_t n)
{
    uint8_t crc = 0;  //~ 2 killed
    for (size_t i = 0; i < n; i++) {  //~ 13 killed; equivalent: 26 `<` -> `!=`
        crc ^= data[i];  //~ 8 killed
        for (int bit = 0; bit < 8; bit++) {  //~ 13 killed; equivalent: 31 `<` -> `!=`
            if (crc & 0x80)  //~ 8 killed
                crc = (uint8_t)(crc << 1) ^ 0x07;  //~ 18 killed
            else
                crc = (uint8_t)(crc << 1);  //~ 10 killed
        }
    }
    return crc;  //~ 3 killed
}

uint16_t fletcher16(const uint8_t *data, size_t n)
{
    uint16_t low = 0, high = 0;  //~ 4 killed
    for (size_t i = 0; i < n; i++) {  //~ 13 killed; equivalent: 26 `<` -> `!=`
        low = (low + data[i]) % 255;  //~ 16 killed
        high = (high + low) % 255;  //~ 16 killed
    }
    return (uint16_t)(high << 8 | low);  //~ 18 killed; equivalent: 33 `|` -> `^`
}
