/* Owner windows, by hand and against a slow reference over random values. */
#include "experiments/locks/owners.h"
#include "stats.h"
#include "test.h"

static void test_owners_by_hand(void) {
    int64_t gaps[16];
    const uint16_t owner[] = {0, 0, 1, OWNER_NONE, 1, 1, 0, 2, 0, OWNER_NONE};
    struct owner_summary s = owners_summarise(owner, N(owner), 3, gaps);
    CHECK_EQUAL(8, s.operations);
    CHECK_EQUAL(5, s.runs);
    CHECK_EQUAL(2, s.reacquires); /* of thread 0: after three others' operations, then after one */
    NEAR(2, s.median_between);

    const uint16_t single[] = {4, 4, 4};
    s = owners_summarise(single, N(single), 5, gaps);
    CHECK_EQUAL(3, s.operations);
    CHECK_EQUAL(1, s.runs);
    CHECK_EQUAL(0, s.reacquires);

    const uint16_t unsigned_window[] = {OWNER_NONE, OWNER_NONE};
    s = owners_summarise(unsigned_window, N(unsigned_window), 2, gaps);
    CHECK_EQUAL(0, s.operations);
    CHECK_EQUAL(0, s.runs);
}

static void test_owners_against_search(void) {
    enum { LONGEST = 300 };
    uint64_t state = 99;
    for (int round = 0; round < 300; round++) {
        uint16_t owner[LONGEST];
        int64_t gaps[LONGEST];
        int64_t expected[LONGEST];
        size_t count = 1 + test_random(&state) % LONGEST;
        int threads = 1 + (int)(test_random(&state) % 6);
        size_t pairs = 0;
        int64_t runs = 1;
        for (size_t k = 0; k < count; k++) {
            int stay = k > 0 && test_random(&state) % 3 != 0;
            owner[k] = stay ? owner[k - 1] : (uint16_t)(test_random(&state) % (uint64_t)threads);
            if (k > 0 && owner[k] != owner[k - 1]) {
                runs++;
                size_t back = k;
                while (back > 0 && owner[back - 1] != owner[k]) {
                    back--;
                }
                if (back > 0) {
                    expected[pairs++] = (int64_t)(k - back);
                }
            }
        }
        struct owner_summary s = owners_summarise(owner, count, threads, gaps);
        CHECK_EQUAL((int64_t)count, s.operations);
        CHECK_EQUAL(runs, s.runs);
        CHECK_EQUAL((int64_t)pairs, s.reacquires);
        NEAR(stats_median(expected, pairs), s.median_between);
    }
}

int main(void) {
    test_owners_by_hand();
    test_owners_against_search();
    TEST_END();
}
