/* Bytes and the heap. */

/* C promises the sign only. Glibc gives the difference, other libraries give 1 or -1, as with the choice 1. The difference
 * may be 1, too, so other choices give other numbers. */
static int order(unsigned char a, unsigned char b) {
    if (a == b || __library_choice <= 0) return a - b;
    int far = (__library_choice & 0xfff) | 1;
    return a < b ? -far : far;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    __builtin_memcpy(to, from, n);
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t n) {
    __builtin_memcpy(to, from, n);
    return (char *)to + n;
}

void *memmove(void *to, const void *from, size_t n) {
    __builtin_memmove(to, from, n);
    return to;
}

void *memset(void *to, int byte, size_t n) {
    __builtin_memset(to, byte, n);
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    REQUIRE(a);
    REQUIRE(b);
    const unsigned char *x = a, *y = b;
    unsigned char one = 0, other = 0;
    /* All bytes must be there, also those after the first difference. */
    for (size_t i = 0; i < n; i++) {
        unsigned char this = x[i], that = y[i];
        if (one == other) one = this, other = that;
    }
    return order(one, other);
}

int bcmp(const void *a, const void *b, size_t n) {
    return memcmp(a, b, n);
}

void *memchr(const void *object, int byte, size_t n) {
    REQUIRE(object);
    const unsigned char *at = object;
    for (size_t i = 0; i < n; i++)
        if (at[i] == (unsigned char)byte) return (void *)(at + i);
    return NULL;
}

void *memrchr(const void *object, int byte, size_t n) {
    REQUIRE(object);
    const unsigned char *at = object;
    for (size_t i = n; i > 0; i--)
        if (at[i - 1] == (unsigned char)byte) return (void *)(at + i - 1);
    return NULL;
}

/* So musl calls it. */
void *__memrchr(const void *object, int byte, size_t n) {
    return memrchr(object, byte, n);
}

/* As many bytes as there could be, where the product is too large: nobody has room for them. */
static size_t product(size_t count, size_t size) {
    const size_t most = (size_t)-1;
    return size != 0 && count > most / size ? most : count * size;
}

/* There may be nothing where no bytes are asked for. */
void *malloc(size_t size) {
    if (size == 0 && __library_choice > 0) return NULL;
    return __whet_allocate(size);
}

/* A function, so that a pointer can lead to it. */
void free(void *object) {
    __whet_free(object);
}

void *calloc(size_t count, size_t size) {
    size_t bytes = product(count, size);
    void *object = malloc(bytes);
    if (bytes != 0) __builtin_memset(object, 0, bytes);
    return object;
}

/* With no bytes left to keep, the C library of this machine frees the object. Others give a new one with no bytes for it, or
 * keep it. */
void *realloc(void *object, size_t size) {
    if (object != NULL && size == 0) {
        int choice = __library_choice;
        if (choice <= 0 || (choice & 2) == 0) free(object);
        return choice > 0 && (choice & 2) == 0 ? __whet_allocate(0) : NULL;
    }
    void *other = malloc(size);
    if (object != NULL) {
        size_t before = __whet_extent(object);
        __builtin_memcpy(other, object, before < size ? before : size);
        free(object);
    }
    return other;
}

void *reallocarray(void *object, size_t count, size_t size) {
    return realloc(object, product(count, size));
}
