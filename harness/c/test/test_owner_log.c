/* Logs of owners, and the runs that are put together from them: by hand and against a search through all operations. */
#include "made_logs.h"
#include "test.h"

enum { BASE = 100 }; /* the count when the iteration begins */

static void check_run(const struct owner_run *run, int owner, int64_t count, int64_t length, long before) {
    CHECK_EQUAL(owner, run->owner);
    CHECK_EQUAL(count, run->count);
    CHECK_EQUAL(length, run_length(run));
    CHECK_EQUAL(before, run->before);
}

/* Two threads own the lock in turn, for so many operations. */
static void take_turns(struct owner_log *logs, const int *lengths, size_t count) {
    uint64_t found[] = {OWNER_NONE, OWNER_NONE};
    uint64_t next = BASE;
    for (size_t run = 0; run < count; run++) {
        for (int i = 0; i < lengths[run]; i++) {
            owner_log_entered(&logs[run % 2], &found[run % 2], next++);
        }
    }
}

static void test_runs_are_those_of_the_counts(void) {
    struct owner_log logs[2];
    logs_open(logs, 2, 16, BASE, clock_ns());
    take_turns(logs, (const int[]){2, 3, 1, 4}, 4);
    struct owner_runs runs = logs_all(logs, 2);
    CHECK_EQUAL(3, runs.count); /* the last is open */
    check_run(&runs.run[0], 0, 0, 2, -1);
    check_run(&runs.run[1], 1, 2, 3, -1);
    check_run(&runs.run[2], 0, 5, 1, 0);
    CHECK_EQUAL(6, owner_runs_operations(&runs));
    CHECK_EQUAL(owner_runs_ns(&runs), run_turn(&runs.run[0]) + run_turn(&runs.run[1]) + run_turn(&runs.run[2]));
    CHECK_EQUAL(2, run_tail_length(&runs.run[1])); /* without a mark: all but the first */
    CHECK_EQUAL(run_turn(&runs.run[1]), run_tail_ns(&runs.run[1]));
    owner_runs_free(&runs);
    logs_close(logs, 2);
}

static void test_one_owner_has_no_run_that_ends(void) {
    for (int operations = 0; operations < 3; operations++) {
        struct owner_log log;
        logs_open(&log, 1, 16, BASE, clock_ns());
        take_turns(&log, &operations, 1);
        struct owner_runs runs = logs_all(&log, 1);
        CHECK_EQUAL(0, runs.count);
        CHECK_EQUAL(0, owner_runs_operations(&runs));
        CHECK_EQUAL(0, owner_runs_ns(&runs));
        owner_runs_free(&runs);
        logs_close(&log, 1);
    }
}

static void test_a_reading_is_a_mark_of_its_run(void) {
    struct owner_log log;
    uint64_t next = OWNER_NONE;
    const int64_t begun = clock_ns();
    logs_open(&log, 1, 16, BASE, begun);
    const int64_t late = 1000000000;
    owner_log_entered(&log, &next, BASE);
    owner_log_ended(&log, next, clock_ns());
    owner_log_entered(&log, &next, BASE + 1);
    owner_log_ended(&log, next, begun + late); /* the last one counts */
    owner_log_entered(&log, &next, BASE + 2);
    owner_log_entered(&log, &next, BASE + 5);
    owner_log_entered(&log, &next, BASE + 9);
    owner_log_ended(&log, next, begun + late);
    struct owner_runs runs = logs_all(&log, 1);
    CHECK_EQUAL(2, runs.count);
    CHECK_EQUAL(late, runs.run[0].mark_ns);
    CHECK_EQUAL(2, runs.run[0].mark_count);
    CHECK_EQUAL(0, runs.run[1].mark_ns);
    CHECK_EQUAL(late, runs.run[2].mark_ns); /* which no entry carries */
    CHECK_EQUAL(10, runs.run[2].mark_count);
    /* By then the next run had begun: it was read when this one was over. */
    CHECK(!run_marked(&runs.run[0]));
    CHECK_EQUAL(4, run_tail_length(&runs.run[0]));
    owner_runs_free(&runs);
    logs_close(&log, 1);
}

static void test_a_log_holds_four_seconds(void) {
    struct owner_log log;
    uint64_t next = OWNER_NONE;
    logs_open(&log, 1, 16, BASE, clock_ns() - (INT64_C(1) << OWNER_BITS));
    owner_log_entered(&log, &next, BASE);
    owner_log_ended(&log, next, clock_ns());
    CHECK_EQUAL(0, log.mark);
    log.origin = clock_ns();
    owner_log_entered(&log, &next, BASE + 5); /* an entry after a missing one would tell lies */
    struct owner_stretch stretch = owner_log_keep(&log);
    CHECK_EQUAL(0, stretch.entries);
    CHECK(stretch.full);
    logs_close(&log, 1);
}

static void test_what_is_kept_stays(void) {
    struct owner_log log;
    owner_log_init(&log, 2, 2);
    struct owner_stretch kept[3];
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t next = OWNER_NONE;
        owner_log_prepare(&log, 0, clock_ns());
        owner_log_entered(&log, &next, 99); /* of a warm-up: logged over */
        owner_log_prepare(&log, 0, clock_ns());
        owner_log_entered(&log, &next, 10 * i);
        owner_log_entered(&log, &next, 10 * i + 5);
        kept[i] = owner_log_keep(&log);
    }
    for (uint64_t i = 0; i < 2; i++) {
        CHECK_EQUAL(2, kept[i].entries);
        CHECK_EQUAL((int64_t)(10 * i), (int64_t)(kept[i].words[0] & UINT32_MAX));
        CHECK_EQUAL((int64_t)(10 * i + 5), (int64_t)(kept[i].words[OWNER_WORDS] & UINT32_MAX));
    }
    CHECK_EQUAL(0, kept[2].entries); /* there is room for two iterations */
    CHECK(kept[2].full);
    free(log.words);
}

/* Entries of two threads in turn, at these times and each of one operation. */
static struct owner_runs at_times(const int64_t *ns, size_t count, int64_t from, int64_t until) {
    struct owner_log logs[2];
    logs_open(logs, 2, 16, 0, 0);
    for (size_t i = 0; i < count; i++) {
        owner_log_add(&logs[i % 2], ns[i], i);
    }
    struct owner_runs runs = logs_between(logs, 2, from, until);
    logs_close(logs, 2);
    return runs;
}

/* An atomic counter's clock is read after the addition, by one thread later than by the next. */
static void test_a_late_reading_is_put_in_order(void) {
    const int64_t ns[] = {10, 95, 90, 30, 40};
    const int64_t expected[] = {10, 30, 30, 30, 40};
    struct owner_runs runs = at_times(ns, N(ns), 0, INT64_MAX);
    CHECK_EQUAL(4, runs.count);
    for (size_t i = 0; i < N(ns); i++) {
        CHECK_EQUAL(expected[i], runs.run[i].ns);
        CHECK_EQUAL((int64_t)i, runs.run[i].count);
    }
    owner_runs_free(&runs);
}

static void test_only_what_all_were_at(void) {
    const int64_t ns[] = {10, 20, 30, 40, 50, 60};
    struct owner_runs runs = at_times(ns, N(ns), 15, 50);
    CHECK_EQUAL(3, runs.count);
    check_run(&runs.run[0], 1, 1, 1, -1);
    check_run(&runs.run[1], 0, 2, 1, -1); /* what it had before is left out */
    check_run(&runs.run[2], 1, 3, 1, 0);
    CHECK_EQUAL(50, runs.run[3].ns); /* the open one */
    owner_runs_free(&runs);
    runs = at_times(ns, N(ns), 55, 15);
    CHECK_EQUAL(0, runs.count);
    owner_runs_free(&runs);
}

/* Where the stretch of an iteration with those owners ends: with the earliest last entry of a log that is full. */
static size_t end_of(const int *owner, size_t operations, int threads, size_t capacity) {
    size_t found = operations;
    for (int thread = 0; thread < threads; thread++) {
        size_t entries = 0;
        for (size_t i = 0; i < operations; i++) {
            entries += owner[i] == thread && (i == 0 || owner[i - 1] != thread);
            if (entries == capacity) {
                found = i < found ? i : found;
                break;
            }
        }
    }
    return found;
}

static void test_against_search(void) {
    enum { LONGEST = 300 };
    uint64_t state = 99;
    for (int round = 0; round < 300; round++) {
        int owner[LONGEST];
        const size_t operations = 1 + test_random(&state) % LONGEST;
        const int threads = 1 + (int)(test_random(&state) % MOST_THREADS);
        const size_t capacity = 1 + test_random(&state) % 40;
        struct owner_log logs[MOST_THREADS];
        logs_open(logs, threads, capacity, BASE, clock_ns());
        uint64_t next[MOST_THREADS];
        memset(next, 0xff, sizeof next); /* OWNER_NONE */
        for (size_t i = 0; i < operations; i++) {
            int stay = i > 0 && test_random(&state) % 3 != 0;
            owner[i] = stay ? owner[i - 1] : (int)(test_random(&state) % (uint64_t)threads);
            owner_log_entered(&logs[owner[i]], &next[owner[i]], BASE + i);
        }
        struct owner_runs runs = logs_all(logs, threads);
        const size_t last = end_of(owner, operations, threads, capacity);
        size_t found = 0;
        size_t first = 0;
        for (size_t i = 1; i < operations && i <= last; i++) {
            if (owner[i] != owner[i - 1] && found < runs.count) {
                long before = (long)found - 1;
                while (before >= 0 && runs.run[before].owner != owner[first]) {
                    before--;
                }
                check_run(&runs.run[found++], owner[first], (int64_t)first, (int64_t)(i - first), before);
                first = i;
            }
        }
        CHECK_EQUAL((int64_t)found, (int64_t)runs.count);
        CHECK_EQUAL((int64_t)first, owner_runs_operations(&runs));
        owner_runs_free(&runs);
        logs_close(logs, threads);
    }
}

int main(void) {
    test_runs_are_those_of_the_counts();
    test_one_owner_has_no_run_that_ends();
    test_a_reading_is_a_mark_of_its_run();
    test_a_log_holds_four_seconds();
    test_what_is_kept_stays();
    test_a_late_reading_is_put_in_order();
    test_only_what_all_were_at();
    test_against_search();
    TEST_END();
}
