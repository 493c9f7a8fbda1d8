/* Printing, where the text is made by code: with a list, with a format that is computed, and where somebody looks at
 * the result. It is printed character by character, so that every text is the same that looks the same. */

typedef struct _IO_FILE FILE;

/* Actions of the program itself. */
void __whet_show(unsigned char c);
void __whet_show_in(unsigned char c, FILE *stream);

int vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list list);

static void show(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) __whet_show(text[i]);
}

static void show_in(FILE *stream, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) __whet_show_in(text[i], stream);
}

/* The text on the heap, and how long it is. */
static char *text_of(const char *format, va_list list, int *n) {
    REQUIRE(format);
    va_list again;
    va_copy(again, list);
    *n = vsnprintf(0, 0, format, list);
    __whet_settle(*n >= 0);
    char *text = __whet_allocate((size_t)*n + 1);
    vsnprintf(text, (size_t)*n + 1, format, again);
    va_end(again);
    return text;
}

int __whet_vprintf(const char *format, va_list list) {
    int n;
    char *text = text_of(format, list, &n);
    show(text, n);
    __whet_free(text);
    return n;
}

int __whet_vfprintf(FILE *stream, const char *format, va_list list) {
    REQUIRE(stream);
    int n;
    char *text = text_of(format, list, &n);
    show_in(stream, text, n);
    __whet_free(text);
    return n;
}

int __whet_printf(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = __whet_vprintf(format, list);
    va_end(list);
    return n;
}

int __whet_fprintf(FILE *stream, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = __whet_vfprintf(stream, format, list);
    va_end(list);
    return n;
}

/* C says only that it is not negative. */
static int not_negative(size_t glibc_s) {
    return __library_choice > 0 ? __library_choice - 1 : (int)glibc_s;
}

int __whet_puts(const char *text) {
    size_t n = strlen(text);
    show(text, n);
    __whet_show('\n');
    return not_negative(n + 1);
}

int __whet_fputs(const char *text, FILE *stream) {
    REQUIRE(stream);
    show_in(stream, text, strlen(text));
    return not_negative(1);
}

size_t __whet_fwrite(const void *restrict elements, size_t size, size_t n, FILE *restrict stream) {
    REQUIRE(elements);
    REQUIRE(stream);
    if (size == 0) return 0;
    __whet_settle(n <= (size_t)-1 / size);
    show_in(stream, elements, size * n);
    return n;
}

int __whet_putchar(int c) {
    __whet_show(c);
    return (unsigned char)c;
}

int __whet_putchar_unlocked(int c) {
    return __whet_putchar(c);
}

int __whet_fputc(int c, FILE *stream) {
    REQUIRE(stream);
    __whet_show_in(c, stream);
    return (unsigned char)c;
}

int __whet_putc(int c, FILE *stream) {
    return __whet_fputc(c, stream);
}

int __whet__IO_putc(int c, FILE *stream) {
    return __whet_fputc(c, stream);
}

/* Nobody sees when a text gets to its place. */
int __whet_fflush(FILE *stream) {
    (void)stream;
    return 0;
}
