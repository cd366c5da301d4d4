/* Services from logs of made-up operations, whose times are known. */
#include "experiments/locks/lock_services.h"
#include "made_logs.h"
#include "test.h"

enum { CLOCK_NS = 20, MANY = 3000, SERVICES = 6 };

static struct lock_services found_of(struct owner_log *logs, int threads, int64_t from, int64_t until) {
    struct owner_stretch stretch[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        stretch[i] = owner_log_keep(&logs[i]);
    }
    return lock_services_of(stretch, threads, from, until, CLOCK_NS);
}

/* Thread 0 is in from 100 to 200; thread 1 asks at 150 and is out at 260; thread 0 finds the lock free at 300, and is
 * out at 390; thread 1, at 390, is too. */
static void make_four(struct owner_log *logs, size_t capacity) {
    logs_open(logs, 2, capacity, 50, 0);
    owner_log_operation(&logs[0], 100, 200, 50);
    owner_log_operation(&logs[1], 150, 260, 51);
    owner_log_operation(&logs[0], 300, 390, 52);
    owner_log_operation(&logs[1], 390, 470, 53);
}

static void test_who_waited_is_served_from_the_release_before(void) {
    struct owner_log logs[2];
    make_four(logs, 16);
    struct lock_services found = found_of(logs, 2, 0, INT64_MAX);
    CHECK_EQUAL(1, found.queueds);
    CHECK_EQUAL(60, found.queued[0]);
    CHECK_EQUAL(2, found.frees);
    CHECK_EQUAL(90 - CLOCK_NS, found.free[0]);
    CHECK_EQUAL(80 - CLOCK_NS, found.free[1]);
    CHECK_EQUAL(200, found.first_ns);
    CHECK_EQUAL(470, found.last_ns);
    lock_services_free(&found);
    logs_close(logs, 2);
}

static void check_counts(size_t frees, size_t queueds, size_t capacity, int64_t from, int64_t until) {
    struct owner_log logs[2];
    make_four(logs, capacity);
    struct lock_services found = found_of(logs, 2, from, until);
    CHECK_EQUAL(frees, found.frees);
    CHECK_EQUAL(queueds, found.queueds);
    lock_services_free(&found);
    logs_close(logs, 2);
}

static void test_only_what_is_asked_for_in_the_stretch_counts(void) {
    check_counts(1, 0, 16, 160, 389);
}

static void test_a_full_log_ends_it_for_all(void) {
    check_counts(0, 0, 1, 0, INT64_MAX); /* behind count 50 one may be missing */
}

/* The thread before lost its CPU between its release and its reading: no service is below 0. */
static void test_a_late_reading_makes_no_service_negative(void) {
    struct owner_log logs[2];
    logs_open(logs, 2, 4, 0, 0);
    owner_log_operation(&logs[0], 100, 5000, 0);
    owner_log_operation(&logs[1], 150, 260, 1);
    owner_log_operation(&logs[1], 300, 310, 2);
    struct lock_services found = found_of(logs, 2, 0, INT64_MAX);
    CHECK_EQUAL(1, found.queueds);
    CHECK_EQUAL(0, found.queued[0]);
    CHECK_EQUAL(1, found.frees);
    CHECK_EQUAL(0, found.free[0]); /* shorter than a reading of the clock */
    lock_services_free(&found);
    logs_close(logs, 2);
}

/* A queue of random operations: their services come back, each as the kind that it was. */
static void test_services_of_a_made_up_queue_come_back(void) {
    struct owner_log logs[3];
    uint64_t state = 7;
    int64_t asks[3] = {10, 20, 30};
    int64_t free_ns = 0;
    int64_t sums[2] = {0, 0};
    size_t counts[2] = {0, 0};
    logs_open(logs, 3, MANY, 9, 0);
    for (int k = 0; k < MANY; k++) {
        int first = 0;
        for (int i = 1; i < 3; i++) {
            first = asks[i] < asks[first] ? i : first;
        }
        const bool queued = k > 0 && asks[first] < free_ns;
        const int64_t service = CLOCK_NS + (int64_t)(test_random(&state) % 100);
        const int64_t released = (queued ? free_ns : asks[first]) + service;
        owner_log_operation(&logs[first], asks[first], released, (uint64_t)(9 + k));
        if (k > 0) {
            sums[queued] += queued ? service : service - CLOCK_NS;
            counts[queued]++;
        }
        free_ns = released;
        asks[first] = released + (int64_t)(test_random(&state) % 300);
    }
    struct lock_services found = found_of(logs, 3, 0, INT64_MAX);
    CHECK_EQUAL(counts[0], found.frees);
    CHECK_EQUAL(counts[1], found.queueds);
    CHECK(counts[0] > MANY / SERVICES && counts[1] > MANY / SERVICES);
    for (size_t i = 0; i < found.frees; i++) {
        sums[0] -= found.free[i];
    }
    for (size_t i = 0; i < found.queueds; i++) {
        sums[1] -= found.queued[i];
    }
    CHECK_EQUAL(0, sums[0]);
    CHECK_EQUAL(0, sums[1]);
    CHECK_EQUAL(free_ns, found.last_ns);
    lock_services_free(&found);
    logs_close(logs, 3);
}

int main(void) {
    test_who_waited_is_served_from_the_release_before();
    test_only_what_is_asked_for_in_the_stretch_counts();
    test_a_full_log_ends_it_for_all();
    test_a_late_reading_makes_no_service_negative();
    test_services_of_a_made_up_queue_come_back();
    TEST_END();
}
