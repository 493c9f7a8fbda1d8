/* Reading from streams. A stream that a caller gives is an object with its bytes, and one more behind them, so that the
 * object of an empty stream is not empty. What a stream has besides is here. */

struct stream {
    const FILE *file;
    size_t at;
    /* Its end was seen. */
    _Bool ended;
    /* A character was put back, and not read again. */
    _Bool returned;
};

/* A caller gives fewer. */
enum { MOST_STREAMS = 4 };
static struct stream __library_streams[MOST_STREAMS];

/* A call of this is unsupported. */
void more_streams_than_a_few(void);

static struct stream *stream_of(const FILE *file) {
    REQUIRE(file);
    /* The machine reads what a pointer leads to. It is a stream only if it leads to the start of one that is open. */
    unsigned char first = *(const unsigned char *)file;
    (void)first;
    __whet_extent(file);
    for (int i = 0; i < MOST_STREAMS; i++)
        if (__library_streams[i].file == file) return &__library_streams[i];
    for (int i = 0; i < MOST_STREAMS; i++)
        if (__library_streams[i].file == 0) {
            __library_streams[i].file = file;
            return &__library_streams[i];
        }
    more_streams_than_a_few();
    return 0;
}

static size_t size_of(const FILE *file) {
    return __whet_extent(file) - 1;
}

static int next(struct stream *stream) {
    stream->returned = 0;
    if (stream->ended || stream->at >= size_of(stream->file)) {
        stream->ended = 1;
        return -1;
    }
    return ((const unsigned char *)stream->file)[stream->at++];
}

int __whet_fgetc(FILE *file) {
    return next(stream_of(file));
}

/* What another character than the last one does to the stream, we do not know. C promises to take one. */
void a_character_that_was_not_read(void);

int __whet_ungetc(int c, FILE *file) {
    struct stream *stream = stream_of(file);
    if (c == -1) return -1;
    __whet_settle(!stream->returned);
    if (stream->at == 0 || ((const unsigned char *)file)[stream->at - 1] != (unsigned char)c)
        a_character_that_was_not_read();
    stream->at--;
    stream->ended = 0;
    stream->returned = 1;
    return (unsigned char)c;
}

char *__whet_fgets(char *restrict text, int n, FILE *restrict file) {
    REQUIRE(text);
    struct stream *stream = stream_of(file);
    /* C leaves open what happens where there is no room for a character. */
    __whet_settle(n > 1);
    int i = 0;
    while (i < n - 1) {
        int c = next(stream);
        if (c < 0) break;
        text[i++] = c;
        if (c == '\n') break;
    }
    if (i == 0) return 0;
    text[i] = 0;
    return text;
}

size_t __whet_fread(void *restrict elements, size_t size, size_t n, FILE *restrict file) {
    REQUIRE(elements);
    struct stream *stream = stream_of(file);
    if (size == 0 || n == 0) return 0;
    __whet_settle(n <= (size_t)-1 / size);
    unsigned char *bytes = elements;
    size_t i = 0;
    for (; i < size * n; i++) {
        int c = next(stream);
        if (c < 0) break;
        bytes[i] = c;
    }
    /* Of an element that was read in part, nothing is known. */
    for (size_t part = i - i % size; part < i; part++) {
        unsigned char nothing;
        __builtin_memcpy(bytes + part, &nothing, 1);
    }
    return i / size;
}

int __whet_feof(FILE *file) {
    if (!stream_of(file)->ended) return 0;
    /* Any number but zero. */
    int open = (int)choice_at(0);
    return __library_choice > 0 && open != 0 ? open : 1;
}

/* Nothing goes wrong. */
int __whet_ferror(FILE *file) {
    stream_of(file);
    return 0;
}

void __whet_clearerr(FILE *file) {
    stream_of(file)->ended = 0;
}

/* As POSIX has it: a place is a number of bytes. C knows that of binary streams only. */
int __whet_fseek(FILE *file, long by, int from) {
    struct stream *stream = stream_of(file);
    size_t size = size_of(file);
    /* What else a library may know, C does not say. */
    __whet_settle(from >= 0 && from <= 2);
    size_t base = from == 0 ? 0 : from == 1 ? stream->at : size;
    /* Where there is nothing, one stream is like this, and another like that. */
    __whet_settle(by >= 0 ? (size_t)by <= size - base : (size_t)-(by + 1) < base);
    stream->at = base + by;
    stream->ended = 0;
    stream->returned = 0;
    return 0;
}

long __whet_ftell(FILE *file) {
    return stream_of(file)->at;
}

void __whet_rewind(FILE *file) {
    __whet_fseek(file, 0, 0);
}

int __whet_fclose(FILE *file) {
    struct stream *stream = stream_of(file);
    *stream = (struct stream){0};
    __whet_free(file);
    return 0;
}

/* In musl's part, because it needs a stream of musl's. */
int __whet_scan(const unsigned char *text, size_t size, size_t *used, _Bool *ended, const char *format, va_list list);

int __whet_vfscanf(FILE *restrict file, const char *restrict format, va_list list) {
    REQUIRE(format);
    struct stream *stream = stream_of(file);
    size_t rest = stream->ended ? 0 : size_of(file) - stream->at, used = 0;
    int n = __whet_scan((const unsigned char *)file + stream->at, rest, &used, &stream->ended, format, list);
    stream->returned = 0;
    stream->at += used;
    return n;
}

int __whet_fscanf(FILE *restrict file, const char *restrict format, ...) {
    va_list list;
    va_start(list, format);
    int n = __whet_vfscanf(file, format, list);
    va_end(list);
    return n;
}
