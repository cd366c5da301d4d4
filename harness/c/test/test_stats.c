/* Statistics, by hand and against slow references over random values. */
#include "stats.h"
#include "test.h"

#include <stdlib.h>

static void test_median(void) {
    int64_t odd[] = {9, 1, 5};
    int64_t even[] = {4, 1, 3, 2};
    NEAR(5, stats_median(odd, N(odd)));
    NEAR(2.5, stats_median(even, N(even)));
    NEAR(0, stats_median(NULL, 0));
}

/* The rule of Java's HdrHistogram: the 94th percentile of 1..10 is 10, the 90th is 9. */
static void test_percentile(void) {
    int64_t values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    CHECK_EQUAL(10, stats_percentile(values, 10, 94));
    CHECK_EQUAL(9, stats_percentile(values, 10, 90));
    CHECK_EQUAL(1, stats_percentile(values, 10, 10));
    CHECK_EQUAL(2, stats_percentile(values, 10, 10.1));
    CHECK_EQUAL(1, stats_percentile(values, 10, 0));
    CHECK_EQUAL(10, stats_percentile(values, 10, 100));
    CHECK_EQUAL(0, stats_percentile(values, 0, 50));
    int64_t thousand[1000];
    for (int i = 0; i < 1000; i++) {
        thousand[i] = i + 1;
    }
    /* 32.7 x 1000 / 100 is a little more than 327 in binary, and still means the 327th. */
    CHECK_EQUAL(327, stats_percentile(thousand, 1000, 32.7));
}

static void test_gini(void) {
    int64_t equal[] = {7, 7, 7, 7};
    int64_t one_has_all[] = {0, 12, 0, 0};
    int64_t mixed[] = {1, 3};
    int64_t nothing[] = {0, 0};
    NEAR(0, stats_gini(equal, N(equal)));
    NEAR(0.75, stats_gini(one_has_all, N(one_has_all)));
    NEAR(0.25, stats_gini(mixed, N(mixed)));
    NEAR(0, stats_gini(nothing, N(nothing)));
    NEAR(0, stats_gini(equal, 1));
    NEAR(0, stats_gini(NULL, 0));
}

/* The definition: mean absolute difference of all pairs over twice the mean. */
static void test_gini_against_definition(void) {
    uint64_t state = 7;
    for (int round = 0; round < 200; round++) {
        int64_t values[40];
        size_t count = 1 + test_random(&state) % N(values);
        double differences = 0;
        double sum = 1;
        values[0] = 1;
        for (size_t i = 1; i < count; i++) {
            values[i] = (int64_t)(test_random(&state) % 1000);
            sum += (double)values[i];
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < count; j++) {
                differences += fabs((double)(values[i] - values[j]));
            }
        }
        NEAR(differences / (2 * (double)count * sum), stats_gini(values, count));
    }
}

int main(void) {
    test_median();
    test_percentile();
    test_gini();
    test_gini_against_definition();
    TEST_END();
}
