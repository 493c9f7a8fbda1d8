/* Bytes and the heap. */

/* C promises the sign only. Glibc gives the difference, other libraries give 1 or -1, as with the choices 1 and 3. */
static int order(unsigned char a, unsigned char b) {
    if (a == b || __library_choice <= 0) return a - b;
    int far = __library_choice >> 1 | 1;
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

/* What a pointer to `malloc` or `free` leads to: those are no functions but actions. */
void *__whet_pointed_malloc(size_t size) { return malloc(size); }
void __whet_pointed_free(void *object) { free(object); }

/* As many bytes as there could be, where the product is too large: nobody has room for them. */
static size_t product(size_t count, size_t size) {
    const size_t most = (size_t)-1;
    return size != 0 && count > most / size ? most : count * size;
}

void *calloc(size_t count, size_t size) {
    size_t bytes = product(count, size);
    void *object = malloc(bytes);
    __builtin_memset(object, 0, bytes);
    return object;
}

/* With no bytes left to keep, the C library of this machine frees the object. */
void *realloc(void *object, size_t size) {
    if (object != NULL && size == 0) {
        free(object);
        return NULL;
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
