#pragma once

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A test program counts what did not hold, says where, and ends with TEST_END(). */
static int test_checks, test_failures;

static inline void test_note(int passed, const char *file, int line, const char *what) {
    test_checks++;
    if (!passed && ++test_failures <= 20) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
    }
}

#define CHECK(condition) test_note((condition) != 0, __FILE__, __LINE__, #condition)

#define NEAR(expected, actual) CHECK(fabs((expected) - (actual)) < 1e-12)

#define CHECK_EQUAL(expected, actual)                                                                                  \
    do {                                                                                                               \
        int64_t left_ = (expected), right_ = (actual);                                                                 \
        char what_[256];                                                                                               \
        snprintf(what_, sizeof what_, "%s: expected %" PRId64 ", got %" PRId64, #actual, left_, right_);               \
        test_note(left_ == right_, __FILE__, __LINE__, what_);                                                         \
    } while (0)

#define CHECK_TEXT(expected, actual)                                                                                   \
    do {                                                                                                               \
        const char *left_ = (expected), *right_ = (actual);                                                            \
        char what_[1024];                                                                                              \
        snprintf(what_, sizeof what_, "%s: expected \"%s\", got \"%s\"", #actual, left_, right_);                      \
        test_note(strcmp(left_, right_) == 0, __FILE__, __LINE__, what_);                                              \
    } while (0)

/* Elements of an array. */
#define N(array) (sizeof(array) / sizeof *(array))

/* A small generator with a fixed seed (xorshift64*): the same values in every run. */
static inline uint64_t test_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

#define TEST_END()                                                                                                     \
    do {                                                                                                               \
        printf("%s: %d checks, %d failed\n", __FILE__, test_checks, test_failures);                                    \
        return test_failures != 0;                                                                                     \
    } while (0)
