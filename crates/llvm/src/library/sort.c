/* Sorting and searching. */

typedef int compare(const void *, const void *);

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* By insertion. Elements that are equal stay in their order, which a program must not rely on. */
void qsort(void *array, size_t count, size_t size, compare *compare) {
    REQUIRE(array);
    char *at = array;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(at + (j - 1) * size, at + j * size) > 0; j--)
            swap(at + (j - 1) * size, at + j * size, size);
}

void *bsearch(const void *key, const void *array, size_t count, size_t size, compare *compare) {
    REQUIRE(array);
    const char *at = array;
    while (count > 0) {
        const char *middle = at + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            at = middle + size;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return NULL;
}
