/* Sorting and searching.
 *
 * C demands that a comparison does not contradict itself, that it looks at nothing but its two elements, and that the array
 * of `bsearch` is sorted. If not, nobody knows what a library does. To find out, a strict library looks at all that could be
 * compared before it does what glibc does. */

typedef int compare(const void *, const void *);

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

static int sign(int order) { return (order > 0) - (order < 0); }

/* How two elements compare that are nowhere near the array. Glibc, too, compares copies. */
static int compare_copies(const char *a, const char *b, size_t size, compare *compare) {
    char one[size], other[size];
    __builtin_memcpy(one, a, size);
    __builtin_memcpy(other, b, size);
    return sign(compare(one, other));
}

/* Whether each element compares with each other as the numbers of elements do that are less than it. */
static void settle_order(const char *at, size_t count, size_t size, compare *compare) {
    if (count == 0) return;
    size_t less[count];
    for (size_t i = 0; i < count; i++) {
        less[i] = 0;
        for (size_t j = 0; j < count; j++)
            if (compare_copies(at + j * size, at + i * size, size, compare) < 0) less[i]++;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            int order = compare_copies(at + i * size, at + j * size, size, compare);
            __whet_settle(order == (less[i] > less[j]) - (less[i] < less[j]));
        }
}

/* By insertion, or else by selection. The second leaves equal elements in another order. It compares other pairs, and each
 * element with itself, so that nobody can count on how often it does that. */
void qsort(void *array, size_t count, size_t size, compare *compare) {
    REQUIRE(array);
    char *at = array;
    if (__library_choice < 0) settle_order(at, count, size, compare);
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
    if (__library_choice < 0) {
        int last = 1;
        for (size_t i = 0; i < count; i++) {
            int order = sign(compare(key, at + i * size));
            __whet_settle(order <= last);
            last = order;
        }
    }
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
