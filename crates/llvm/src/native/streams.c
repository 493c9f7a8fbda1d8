/* Printing and reading. Of what is printed, the system's library makes the text, and the report tells it, stream by
 * stream. What the caller gave as a stream are its bytes. The system's library makes a stream of them when it is read.
 *
 * All functions for the subject are called __whet_..., as in outside.c. */
#define _GNU_SOURCE
#include "replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* By these numbers, the report knows streams. */
enum { OUT = 1, ERROR = 2 };

/* Where the program that we reason about has nothing to say. */
#define TRAP_UNSUPPORTED TRAP_TOO_MUCH

static uint64_t number_of(FILE *stream)
{
    if (!stream)
        abort();
    if (stream == stdout)
        return OUT;
    if (stream == stderr)
        return ERROR;
    __whet_trap(TRAP_UNSUPPORTED);
}

static void print(FILE *stream, const char *text, uint64_t length)
{
    put_number(TAG_PRINTED);
    put_number(number_of(stream));
    put_number(length);
    put(text, length);
}

int __whet_vfprintf(FILE *stream, const char *format, va_list list)
{
    put_number(TAG_PRINTED);
    put_number(number_of(stream));
    /* The length comes before the text. */
    uint64_t before = report->length;
    put_number(0);
    uint64_t room = REPORT_BYTES - report->length;
    int length = vsnprintf((char *)report->bytes + report->length, room, format, list);
    if (length < 0)
        __whet_trap(TRAP_UNSUPPORTED);
    if ((uint64_t)length >= room)
        __whet_trap(TRAP_TOO_MUCH);
    uint64_t told = (uint64_t)length;
    memcpy(report->bytes + before, &told, sizeof told);
    report->length += told;
    return length;
}

int __whet_vprintf(const char *format, va_list list)
{
    return __whet_vfprintf(stdout, format, list);
}

int __whet_fprintf(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __whet_vfprintf(stream, format, list);
    va_end(list);
    return length;
}

int __whet_printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __whet_vfprintf(stdout, format, list);
    va_end(list);
    return length;
}

/* What puts() returns in the system's library. */
int __whet_puts(const char *text)
{
    uint64_t length = strlen(text);
    print(stdout, text, length);
    print(stdout, "\n", 1);
    return (int)length + 1;
}

int __whet_fputs(const char *text, FILE *stream)
{
    print(stream, text, strlen(text));
    return 1;
}

size_t __whet_fwrite(const void *elements, size_t size, size_t count, FILE *stream)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        __whet_trap(TRAP_TOO_MUCH);
    print(stream, elements, bytes);
    return size ? count : 0;
}

int __whet_fputc(int c, FILE *stream)
{
    char letter = (char)c;
    print(stream, &letter, 1);
    return (unsigned char)c;
}

int __whet_putc(int c, FILE *stream)
{
    return __whet_fputc(c, stream);
}

int __whet__IO_putc(int c, FILE *stream)
{
    return __whet_fputc(c, stream);
}

int __whet_putchar(int c)
{
    return __whet_fputc(c, stdout);
}

int __whet_putchar_unlocked(int c)
{
    return __whet_fputc(c, stdout);
}

/* Nobody sees when a text gets to its place. */
int __whet_fflush(FILE *stream)
{
    (void)stream;
    return 0;
}

/* ---- reading ---- */

/* The system's stream for each that the caller gave, once it is read. */
enum { MOST_STREAMS = 16 };

struct source {
    uint8_t *start;
    uint64_t size, at;
    FILE *stream;
};
static struct source sources[MOST_STREAMS];

static ssize_t read_source(void *cookie, char *to, size_t most)
{
    struct source *source = cookie;
    uint64_t rest = source->size - source->at;
    size_t length = rest < most ? rest : most;
    memcpy(to, source->start + source->at, length);
    source->at += length;
    return (ssize_t)length;
}

static int seek_source(void *cookie, off64_t *by, int from)
{
    struct source *source = cookie;
    int64_t base = from == SEEK_SET ? 0 : (int64_t)(from == SEEK_CUR ? source->at : source->size);
    int64_t at = base + *by;
    if (at < 0 || (uint64_t)at > source->size)
        return -1;
    source->at = (uint64_t)at;
    *by = at;
    return 0;
}

/* What the caller gave, and has not been closed; the last byte is not the stream's. */
static struct source *source_of(FILE *file)
{
    uint64_t at = 0;
    while (at < given_count && (!file || given[at].start != (uint8_t *)file))
        at++;
    if (at == given_count)
        abort();
    if (at >= MOST_STREAMS)
        __whet_trap(TRAP_UNSUPPORTED);
    struct source *source = &sources[at];
    if (!source->stream) {
        *source = (struct source){given[at].start, given[at].size ? given[at].size - 1 : 0, 0, NULL};
        source->stream = fopencookie(source, "r", (cookie_io_functions_t){.read = read_source, .seek = seek_source});
        if (!source->stream)
            __whet_trap(TRAP_TOO_MUCH);
    }
    return source;
}

static FILE *stream_of(FILE *file)
{
    return source_of(file)->stream;
}

#ifdef HUNTING
void reset_streams(void)
{
    for (int at = 0; at < MOST_STREAMS; at++) {
        if (sources[at].stream)
            fclose(sources[at].stream);
        sources[at].stream = NULL;
    }
}
#endif

int __whet_fgetc(FILE *file)
{
    return fgetc(stream_of(file));
}

int __whet_ungetc(int c, FILE *file)
{
    return ungetc(c, stream_of(file));
}

char *__whet_fgets(char *text, int most, FILE *file)
{
    return fgets(text, most, stream_of(file));
}

size_t __whet_fread(void *elements, size_t size, size_t most, FILE *file)
{
    return fread(elements, size, most, stream_of(file));
}

int __whet_feof(FILE *file)
{
    return feof(stream_of(file));
}

int __whet_ferror(FILE *file)
{
    return ferror(stream_of(file));
}

void __whet_clearerr(FILE *file)
{
    clearerr(stream_of(file));
}

int __whet_fseek(FILE *file, long by, int from)
{
    return fseek(stream_of(file), by, from);
}

long __whet_ftell(FILE *file)
{
    return ftell(stream_of(file));
}

void __whet_rewind(FILE *file)
{
    rewind(stream_of(file));
}

int __whet_fclose(FILE *file)
{
    struct source *source = source_of(file);
    fclose(source->stream);
    source->stream = NULL;
    __whet_free(file);
    return 0;
}

/* As C has it since 1999, whatever the headers make of the other name. */
int __isoc99_vfscanf(FILE *stream, const char *format, va_list list);

int __whet_vfscanf(FILE *file, const char *format, va_list list)
{
    return __isoc99_vfscanf(stream_of(file), format, list);
}

int __whet_fscanf(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = __isoc99_vfscanf(stream_of(file), format, list);
    va_end(list);
    return count;
}
