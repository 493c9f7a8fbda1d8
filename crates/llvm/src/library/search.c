/* Strings: what is found in them. */

char *strchr(const char *s, int c) {
    for (; *s != (char)c; s++)
        if (*s == 0) return NULL;
    return (char *)s;
}

char *strchrnul(const char *s, int c) {
    while (*s != (char)c && *s != 0) s++;
    return (char *)s;
}

/* So musl calls it. */
char *__strchrnul(const char *s, int c) {
    return strchrnul(s, c);
}

char *index(const char *s, int c) {
    return strchr(s, c);
}

char *strrchr(const char *s, int c) {
    const char *last = NULL;
    do {
        if (*s == (char)c) last = s;
    } while (*s++ != 0);
    return (char *)last;
}

char *rindex(const char *s, int c) {
    return strrchr(s, c);
}

/* What is searched for is read to its end, even if there is nothing to search in. */
char *strstr(const char *s, const char *part) {
    size_t length = strlen(part);
    for (;; s++) {
        size_t i = 0;
        while (i < length && s[i] == part[i]) i++;
        if (i == length) return (char *)s;
        if (s[i] == 0) return NULL;
    }
}

static size_t span(const char *s, const char *set, _Bool among) {
    size_t count = strlen(set), n = 0;
    while (s[n] != 0 && (memchr(set, s[n], count) != NULL) == among) n++;
    return n;
}

size_t strspn(const char *s, const char *set) {
    return span(s, set, 1);
}

size_t strcspn(const char *s, const char *set) {
    return span(s, set, 0);
}

char *strpbrk(const char *s, const char *set) {
    s += strcspn(s, set);
    return *s != 0 ? (char *)s : NULL;
}

char *strsep(char **restrict rest, const char *restrict set) {
    char *token = *rest;
    if (token == NULL) return NULL;
    char *end = token + strcspn(token, set);
    if (*end != 0) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return token;
}

char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
    if (s == NULL) s = *rest;
    s += strspn(s, set);
    if (*s == 0) {
        *rest = s;
        return NULL;
    }
    char *end = s + strcspn(s, set);
    if (*end != 0) *end++ = 0;
    *rest = end;
    return s;
}

char *__strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
    return strtok_r(s, set, rest);
}

static char *strtok_rest;

char *strtok(char *restrict s, const char *restrict set) {
    return strtok_r(s, set, &strtok_rest);
}
