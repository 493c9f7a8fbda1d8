/* Sorting and searching. */

typedef int compare(const void *, const void *);

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* By insertion, or else by selection. The second leaves equal elements in another order. It compares other pairs, and each
 * element with itself, so that nobody can count on how often it does that. */
void qsort(void *array, size_t count, size_t size, compare *compare) {
    REQUIRE(array);
    char *at = array;
    if (__library_choice > 0) {
        for (size_t i = 0; i < count; i++)
            for (size_t j = i; j < count; j++)
                if (compare(at + j * size, at + i * size) <= 0) swap(at + i * size, at + j * size, size);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(at + (j - 1) * size, at + j * size) > 0; j--)
            swap(at + (j - 1) * size, at + j * size, size);
}

/* In the middle or just before it: which of several equal elements is found is open. */
void *bsearch(const void *key, const void *array, size_t count, size_t size, compare *compare) {
    REQUIRE(array);
    const char *at = array;
    while (count > 0) {
        size_t before = (count - (__library_choice > 0)) / 2;
        const char *middle = at + before * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            at = middle + size;
            count -= before + 1;
        } else {
            count = before;
        }
    }
    return NULL;
}
