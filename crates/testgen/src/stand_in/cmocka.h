/* Stands in for CMocka, as far as our tests use it, where Whet runs them: all it wants to know is whether they pass. Calls no
 * function that a file under test may define. */
#ifndef WHET_CMOCKA_H
#define WHET_CMOCKA_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

/* Whether a test is to run. Who wants a choice says how to ask. */
#ifndef WHET_WANTS
#define WHET_WANTS(test) 1
#endif

static void whet_check(int holds)
{
    if (!holds)
        _exit(1);
}

static void whet_same(const void *actual, const void *expected, size_t size)
{
    const unsigned char *one = expected, *other = actual;
    for (size_t at = 0; at < size; at++)
        whet_check(one[at] == other[at]);
}

static void whet_same_text(const char *actual, const char *expected)
{
    for (size_t at = 0;; at++) {
        whet_check(expected[at] == actual[at]);
        if (expected[at] == '\0')
            break;
    }
}

static int whet_run(const struct CMUnitTest *tests, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        if (!WHET_WANTS(tests[at].name))
            continue;
        void *state = tests[at].initial_state;
        whet_check(tests[at].setup_func == NULL || tests[at].setup_func(&state) == 0);
        tests[at].test_func(&state);
        whet_check(tests[at].teardown_func == NULL || tests[at].teardown_func(&state) == 0);
    }
    return 0;
}

#define cmocka_unit_test(test) {#test, test, NULL, NULL, NULL}
#define cmocka_unit_test_setup(test, setup) {#test, test, setup, NULL, NULL}
#define cmocka_run_group_tests(tests, setup, teardown) whet_run(tests, sizeof(tests) / sizeof((tests)[0]))

#define assert_int_equal(actual, expected) whet_check((uintmax_t)(actual) == (uintmax_t)(expected))
#define assert_true(it) whet_check(!!(it))
#define assert_false(it) whet_check(!(it))
#define assert_null(it) whet_check((it) == NULL)
#define assert_non_null(it) whet_check((it) != NULL)
#define assert_ptr_equal(actual, expected) whet_check((const void *)(actual) == (const void *)(expected))
#define assert_string_equal(actual, expected) whet_same_text(actual, expected)
#define assert_memory_equal(actual, expected, size) whet_same(actual, expected, size)

#endif
