/* What logs say of made-up locks, whose schedule is known. */
#include "experiments/locks/hand_overs.h"
#include "made_logs.h"
#include "stats.h"
#include "test.h"

enum { THREADS = 3, SECTION = 20, RUNS = 400 };

/* Values in the order of their runs. */
struct values {
    int64_t value[64 * RUNS];
    size_t count;
};

static void put(struct values *values, int64_t value, int64_t times) {
    while (times-- > 0) {
        values->value[values->count++] = value;
    }
}

static struct values hand_overs, waits, lengths, residences;

/*
 * The log of a lock that random ones of three threads own for random lengths, whose sections take 20 ns and whose
 * hand-overs take `shortest` to 50 ns more; and what must come out of it. The clock is read after `marks` operations of
 * a run, where it has as many; 0: never.
 */
static void make(struct owner_log *logs, uint64_t *state, int64_t marks, int64_t longest, int64_t shortest) {
    int64_t ends[THREADS] = {-1, -1, -1};
    int64_t ns = 100;
    int64_t count = 0;
    int owner = 0;
    hand_overs.count = waits.count = lengths.count = residences.count = 0;
    logs_open(logs, THREADS, RUNS + 1, 0, 0);
    for (int run = 0; run <= RUNS; run++) {
        const int64_t length = 1 + (int64_t)(test_random(state) % (uint64_t)longest);
        const bool marked = marks > 0 && length > marks;
        owner_log_add(&logs[owner], ns, (uint64_t)count);
        logs[owner].mark = 0;
        if (marked) {
            owner_log_ended(&logs[owner], (uint64_t)(count + marks), ns + marks * SECTION);
        }
        if (run == RUNS) {
            break; /* the open one */
        }
        if (ends[owner] >= 0) {
            put(&waits, ns - ends[owner], 1);
            put(&residences, ns - ends[owner], 1);
        }
        put(&residences, SECTION, length - 1);
        put(&lengths, length, 1);
        put(&hand_overs, shortest + (int64_t)(test_random(state) % 50), 1);
        /* Between two readings all operations lie; without a mark, all but the first. */
        ends[owner] = ns + (length - !marked) * SECTION;
        ns = ends[owner] + hand_overs.value[run];
        count += length;
        owner = (owner + 1 + (int)(test_random(state) % 2)) % THREADS;
    }
}

static void check_alike(const struct values *expected, const int64_t *actual, size_t count, int64_t within,
                        const char *what) {
    CHECK_EQUAL((int64_t)expected->count, (int64_t)count);
    for (size_t i = 0; i < count && i < expected->count; i++) {
        test_note(llabs(expected->value[i] - actual[i]) <= within, __FILE__, __LINE__, what);
    }
}

static void check_residences(const struct hand_overs *found, int64_t within) {
    static struct values all;
    all.count = 0;
    for (size_t i = 0; i < found->waits; i++) {
        put(&all, found->wait[i], 1);
    }
    for (size_t i = 0; i < found->runs; i++) {
        put(&all, found->each[i], found->rest[i]);
    }
    stats_sort(all.value, all.count);
    stats_sort(residences.value, residences.count);
    check_alike(&residences, all.value, all.count, within, "residence");
}

static void check_made(const struct hand_overs *found, int64_t within) {
    check_alike(&lengths, found->length, found->runs, 0, "length");
    check_alike(&hand_overs, found->hand_over, found->runs, within, "hand-over");
    check_alike(&waits, found->wait, found->waits, within, "wait");
    check_residences(found, within);
    int64_t sum = 0;
    for (size_t i = 0; i < hand_overs.count; i++) {
        sum += hand_overs.value[i];
    }
    CHECK(fabs((double)sum / RUNS - found->mean_ns) <= (double)within + 1e-9);
    CHECK_EQUAL(0, found->hidden);
}

/* Compares what a made lock's logs say with what was put in, to `within` ns; returns the section. */
static double section_of_made(uint64_t *state, int64_t marks, int64_t longest, int64_t shortest, int64_t within) {
    struct owner_log logs[THREADS];
    make(logs, state, marks, longest, shortest);
    struct owner_runs runs = logs_all(logs, THREADS);
    struct hand_overs found = hand_overs_of(&runs);
    check_made(&found, within);
    const double section = found.section_ns;
    hand_overs_free(&found);
    owner_runs_free(&runs);
    logs_close(logs, THREADS);
    return section;
}

static void test_what_was_put_in_comes_out(void) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t state = seed;
        const int64_t longest = 60 + (int64_t)(test_random(&state) % 40);
        const int64_t shortest = SECTION + (int64_t)(test_random(&state) % 1000);
        NEAR(SECTION, section_of_made(&state, seed % 2 ? 16 : 40, longest, shortest, 0));
    }
}

/* Hand-overs scatter by 50 ns, and the tails of a pair differ by 15 operations. */
static void test_without_marks_the_section_is_a_slope(void) {
    uint64_t state = 7;
    CHECK(fabs(SECTION - section_of_made(&state, 0, 30, 200, 30)) < 1);
}

static void test_runs_of_one_tell_no_section_and_need_none(void) {
    uint64_t state = 8;
    CHECK(isnan(section_of_made(&state, 0, 1, 0, 0)));
}

/* Three runs, too few to tell a section: 0, then thread 1, then 0 again. */
static void test_by_hand(void) {
    struct owner_log logs[2];
    logs_open(logs, 2, 8, 0, 0);
    owner_log_add(&logs[0], 1000, 0);
    owner_log_ended(&logs[0], 20, 1200); /* 20 operations of 10 ns to the mark, 4 more behind it */
    owner_log_add(&logs[1], 1300, 24);   /* 3 operations in 90 ns */
    owner_log_add(&logs[0], 1390, 27);   /* an operation in 55 ns */
    logs[0].mark = 0;
    owner_log_add(&logs[1], 1445, 28);
    struct owner_runs runs = logs_all(logs, 2);
    struct hand_overs found = hand_overs_of(&runs);
    const int64_t hand_over[] = {60, 90, 55};
    const int64_t each[] = {10, 30, 55};
    CHECK(isnan(found.section_ns));
    CHECK_EQUAL(3, (int64_t)found.runs);
    for (size_t i = 0; i < found.runs; i++) {
        CHECK_EQUAL(hand_over[i], found.hand_over[i]);
        CHECK_EQUAL(each[i], found.each[i]);
    }
    CHECK_EQUAL(1, (int64_t)found.waits); /* thread 1's is that of the open run */
    CHECK_EQUAL(1390 - 1240, found.wait[0]);
    NEAR(205.0 / 3, found.mean_ns);
    NEAR(3, found.median_between);
    hand_overs_free(&found);
    owner_runs_free(&runs);
    logs_close(logs, 2);
}

/* 40 operations of 10 ns to a mark, then 9 in 50 ns: they were quicker, and the hand-over is taken for as long as one
 * of them. */
static void test_a_hidden_hand_over_is_never_below_zero(void) {
    struct owner_log logs[2];
    logs_open(logs, 2, 8, 0, 0);
    owner_log_add(&logs[0], 0, 0);
    owner_log_ended(&logs[0], 40, 400);
    owner_log_add(&logs[1], 450, 49);
    struct owner_runs runs = logs_all(logs, 2);
    struct hand_overs found = hand_overs_of(&runs);
    CHECK_EQUAL(1, found.hidden);
    CHECK_EQUAL(5, found.hand_over[0]);
    CHECK_EQUAL(450 / 49, found.each[0]);
    CHECK(isnan(found.median_between));
    hand_overs_free(&found);
    owner_runs_free(&runs);
    logs_close(logs, 2);
}

int main(void) {
    test_what_was_put_in_comes_out();
    test_without_marks_the_section_is_a_slope();
    test_runs_of_one_tell_no_section_and_need_none();
    test_by_hand();
    test_a_hidden_hand_over_is_never_below_zero();
    TEST_END();
}
