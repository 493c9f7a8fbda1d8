/* Strings: their length, copies and comparisons. */

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n] != 0) n++;
    return n;
}

size_t strnlen(const char *s, size_t most) {
    REQUIRE(s);
    size_t n = 0;
    while (n < most && s[n] != 0) n++;
    return n;
}

char *stpcpy(char *restrict to, const char *restrict from) {
    while ((*to = *from) != 0) to++, from++;
    return to;
}

/* So musl calls it. */
char *__stpcpy(char *restrict to, const char *restrict from) {
    return stpcpy(to, from);
}

char *strcpy(char *restrict to, const char *restrict from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t n) {
    REQUIRE(to);
    REQUIRE(from);
    size_t i = 0;
    for (; i < n && from[i] != 0; i++) to[i] = from[i];
    char *end = to + i;
    for (; i < n; i++) to[i] = 0;
    return end;
}

/* So musl calls it. */
char *__stpncpy(char *restrict to, const char *restrict from, size_t n) {
    return stpncpy(to, from, n);
}

char *strncpy(char *restrict to, const char *restrict from, size_t n) {
    stpncpy(to, from, n);
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t n) {
    REQUIRE(from);
    char *end = to + strlen(to);
    for (; n > 0 && *from != 0; n--) *end++ = *from++;
    *end = 0;
    return to;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t size) {
    size_t i = 0;
    for (; from[i] != 0; i++)
        if (i + 1 < size) to[i] = from[i];
    if (size > 0) to[i < size ? i : size - 1] = 0;
    return i;
}

size_t strlcat(char *restrict to, const char *restrict from, size_t size) {
    size_t n = strnlen(to, size);
    if (n == size) return size + strlen(from);
    return n + strlcpy(to + n, from, size - n);
}


int strcmp(const char *a, const char *b) {
    while (*a != 0 && *a == *b) a++, b++;
    return order(*a, *b);
}

int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

int strncmp(const char *a, const char *b, size_t n) {
    REQUIRE(a);
    REQUIRE(b);
    for (; n > 0; n--, a++, b++)
        if (*a != *b || *a == 0) return order(*a, *b);
    return 0;
}

static unsigned char lower(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int strcasecmp(const char *a, const char *b) {
    while (*a != 0 && lower(*a) == lower(*b)) a++, b++;
    return order(lower(*a), lower(*b));
}

int strncasecmp(const char *a, const char *b, size_t n) {
    REQUIRE(a);
    REQUIRE(b);
    for (; n > 0; n--, a++, b++)
        if (lower(*a) != lower(*b) || *a == 0) return order(lower(*a), lower(*b));
    return 0;
}

char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    __builtin_memcpy(copy, s, n);
    return copy;
}

char *strndup(const char *s, size_t most) {
    size_t n = strnlen(s, most);
    char *copy = malloc(n + 1);
    __builtin_memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}
