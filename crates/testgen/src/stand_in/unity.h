/* Stands in for Unity, as far as our tests use it, where Whet runs them: all it wants to know is whether they pass. Calls no
 * function that a file under test may define. */
#ifndef WHET_UNITY_H
#define WHET_UNITY_H

#include <stddef.h>
#include <unistd.h>

typedef void (*UnityTestFunction)(void);

static struct {
    const char *TestFile;
    int NumberOfTests, TestFailures;
} Unity = {__FILE__, 0, 0};

void setUp(void);
void tearDown(void);

/* Whether a test is to run. Who wants a choice says how to ask. */
#ifndef WHET_WANTS
#define WHET_WANTS(test) 1
#endif

static void whet_check(int holds)
{
    if (!holds)
        _exit(1);
}

static void whet_same(const void *expected, const void *actual, size_t size)
{
    const unsigned char *one = expected, *other = actual;
    whet_check((expected == NULL) == (actual == NULL));
    for (size_t at = 0; expected != NULL && at < size; at++)
        whet_check(one[at] == other[at]);
}

static void whet_same_text(const char *expected, const char *actual)
{
    whet_check((expected == NULL) == (actual == NULL));
    for (size_t at = 0; expected != NULL; at++) {
        whet_check(expected[at] == actual[at]);
        if (expected[at] == '\0')
            break;
    }
}

static void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line)
{
    (void)name, (void)line;
    setUp();
    test();
    tearDown();
}

#define UNITY_BEGIN() ((void)0)
#define UNITY_END() (Unity.TestFailures)
#define RUN_TEST(test) (WHET_WANTS(#test) ? UnityDefaultTestRun(test, #test, __LINE__) : (void)0)

#define TEST_ASSERT_TRUE(it) whet_check(!!(it))
#define TEST_ASSERT_FALSE(it) whet_check(!(it))
#define TEST_ASSERT_NULL(it) whet_check((it) == NULL)
#define TEST_ASSERT_NOT_NULL(it) whet_check((it) != NULL)
#define TEST_ASSERT_EQUAL_PTR(expected, actual) whet_check((const void *)(expected) == (const void *)(actual))
#define TEST_ASSERT_EQUAL_STRING(expected, actual) whet_same_text(expected, actual)
#define TEST_ASSERT_EQUAL_MEMORY(expected, actual, size) whet_same(expected, actual, size)

#define WHET_EQUAL(type, expected, actual) whet_check((type)(expected) == (type)(actual))
#define WHET_ARRAY(type, expected, actual, count) whet_same(expected, actual, (count) * sizeof(type))
#define WHET_EACH(type, expected, actual, count)                                                                       \
    for (size_t whet_at = 0; whet_at < (size_t)(count); whet_at++)                                                     \
    whet_check(((const type *)(actual))[whet_at] == (type)(expected))

#define TEST_ASSERT_EQUAL(expected, actual) WHET_EQUAL(long long, expected, actual)
#define TEST_ASSERT_EQUAL_CHAR(expected, actual) WHET_EQUAL(char, expected, actual)
#define TEST_ASSERT_EQUAL_INT(expected, actual) WHET_EQUAL(long long, expected, actual)
#define TEST_ASSERT_EQUAL_INT8(expected, actual) WHET_EQUAL(signed char, expected, actual)
#define TEST_ASSERT_EQUAL_INT16(expected, actual) WHET_EQUAL(short, expected, actual)
#define TEST_ASSERT_EQUAL_INT32(expected, actual) WHET_EQUAL(int, expected, actual)
#define TEST_ASSERT_EQUAL_INT64(expected, actual) WHET_EQUAL(long long, expected, actual)
#define TEST_ASSERT_EQUAL_UINT(expected, actual) WHET_EQUAL(unsigned long long, expected, actual)
#define TEST_ASSERT_EQUAL_UINT8(expected, actual) WHET_EQUAL(unsigned char, expected, actual)
#define TEST_ASSERT_EQUAL_UINT16(expected, actual) WHET_EQUAL(unsigned short, expected, actual)
#define TEST_ASSERT_EQUAL_UINT32(expected, actual) WHET_EQUAL(unsigned, expected, actual)
#define TEST_ASSERT_EQUAL_UINT64(expected, actual) WHET_EQUAL(unsigned long long, expected, actual)

#define TEST_ASSERT_EQUAL_CHAR_ARRAY(expected, actual, count) WHET_ARRAY(char, expected, actual, count)
#define TEST_ASSERT_EQUAL_INT_ARRAY(expected, actual, count) WHET_ARRAY(int, expected, actual, count)
#define TEST_ASSERT_EQUAL_INT8_ARRAY(expected, actual, count) WHET_ARRAY(signed char, expected, actual, count)
#define TEST_ASSERT_EQUAL_INT16_ARRAY(expected, actual, count) WHET_ARRAY(short, expected, actual, count)
#define TEST_ASSERT_EQUAL_INT32_ARRAY(expected, actual, count) WHET_ARRAY(int, expected, actual, count)
#define TEST_ASSERT_EQUAL_INT64_ARRAY(expected, actual, count) WHET_ARRAY(long long, expected, actual, count)
#define TEST_ASSERT_EQUAL_UINT_ARRAY(expected, actual, count) WHET_ARRAY(unsigned, expected, actual, count)
#define TEST_ASSERT_EQUAL_UINT8_ARRAY(expected, actual, count) WHET_ARRAY(unsigned char, expected, actual, count)
#define TEST_ASSERT_EQUAL_UINT16_ARRAY(expected, actual, count) WHET_ARRAY(unsigned short, expected, actual, count)
#define TEST_ASSERT_EQUAL_UINT32_ARRAY(expected, actual, count) WHET_ARRAY(unsigned, expected, actual, count)
#define TEST_ASSERT_EQUAL_UINT64_ARRAY(expected, actual, count) WHET_ARRAY(unsigned long long, expected, actual, count)

#define TEST_ASSERT_EACH_EQUAL_CHAR(expected, actual, count) WHET_EACH(char, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_INT(expected, actual, count) WHET_EACH(int, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_INT8(expected, actual, count) WHET_EACH(signed char, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_INT16(expected, actual, count) WHET_EACH(short, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_INT32(expected, actual, count) WHET_EACH(int, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_INT64(expected, actual, count) WHET_EACH(long long, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_UINT(expected, actual, count) WHET_EACH(unsigned, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_UINT8(expected, actual, count) WHET_EACH(unsigned char, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_UINT16(expected, actual, count) WHET_EACH(unsigned short, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_UINT32(expected, actual, count) WHET_EACH(unsigned, expected, actual, count)
#define TEST_ASSERT_EACH_EQUAL_UINT64(expected, actual, count) WHET_EACH(unsigned long long, expected, actual, count)

#endif
