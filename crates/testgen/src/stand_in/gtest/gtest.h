/* Stands in for GoogleTest, as far as our tests use it, where Whet runs them: all it wants to know is whether they pass. Calls
 * no function that a file under test may define. */
#ifndef WHET_GTEST_H
#define WHET_GTEST_H

#include <stddef.h>
#include <string.h>
#include <unistd.h>

namespace testing {
struct Test {
    static bool HasFailure() { return false; }
};
}

/* Whether a test is to run. Who wants a choice says how to ask. */
#ifndef WHET_WANTS
#define WHET_WANTS(test) 1
#endif

struct whet_test {
    const char *name;
    void (*body)();
    whet_test *next;
    static inline whet_test *first = nullptr;
    static inline whet_test **last = &first;
    whet_test(const char *name, void (*body)()) : name(name), body(body), next(nullptr)
    {
        *last = this;
        last = &next;
    }
};

static inline void whet_check(bool holds)
{
    if (!holds)
        _exit(1);
}

static inline void whet_same_text(const char *expected, const char *actual)
{
    whet_check((expected == nullptr) == (actual == nullptr));
    for (size_t at = 0; expected != nullptr; at++) {
        whet_check(expected[at] == actual[at]);
        if (expected[at] == '\0')
            break;
    }
}

#define TEST(suite, name)                                                                                              \
    static void whet_##suite##_##name();                                                                               \
    static whet_test whet_##suite##_##name##_test(#name, whet_##suite##_##name);                                       \
    static void whet_##suite##_##name()

#define ASSERT_EQ(expected, actual) whet_check((expected) == (actual))
#define ASSERT_NE(expected, actual) whet_check((expected) != (actual))
#define ASSERT_TRUE(it) whet_check(!!(it))
#define ASSERT_FALSE(it) whet_check(!(it))
#define ASSERT_STREQ(expected, actual) whet_same_text(expected, actual)

int main()
{
    for (whet_test *test = whet_test::first; test != nullptr; test = test->next) {
        if (WHET_WANTS(test->name))
            test->body();
    }
}

#endif
