/* What a consumer samples of its events, and the service time that a pair of samples tells. */
#include "load/pacer.h"
#include "load/receiver.h"
#include "test.h"

#include <stdlib.h>

enum { ROOM = 64 };

/* Room for samples of every series, on the heap: a sanitizer sees what is beyond it. */
static void open_series(struct receipts *r) {
    for (int i = 0; i < LOAD_SERIES; i++) {
        samples_make_room(&r->series[i], ROOM);
    }
}

static void close_series(struct receipts *r) {
    for (int i = 0; i < LOAD_SERIES; i++) {
        free(r->series[i].values);
    }
}

static int64_t count(const struct receipts *r, int series) {
    return r->series[series].count;
}

static int64_t value(const struct receipts *r, int series, int i) {
    return r->series[series].values[i];
}

/* Events done by a consumer that the test times: c(i-1), and what a sample makes of it. */
static void pairs_tell_the_service(void) {
    struct source source = {.limit_ns = INT64_MAX};
    struct receipts r = {0};
    struct load load = {
        .mask = 15, .producers = 1, .consumers = 1, .stall_at = INT64_MAX, .sources = &source, .receipts = &r};
    open_series(&r);
    const int64_t start = clock_ns() - 1000000; /* done is at least 1,000,000 */
    const struct event waited = {.number = 16, .due = 100, .sent = 200};
    load_sample(&load, &r, &waited, 900000, 17, start);
    const int64_t done = value(&r, LOAD_INTENDED, 0) + 100;
    CHECK_EQUAL(done - 200, value(&r, LOAD_SENT, 0));
    CHECK_EQUAL(done - 900000, value(&r, LOAD_SINCE, 0));
    CHECK_EQUAL(done, r.in_time_ns);
    const struct event found_it_idle = {.number = 32, .due = 100, .sent = 940000};
    load_sample(&load, &r, &found_it_idle, 900000, 33, start);
    CHECK_EQUAL(40000, value(&r, LOAD_SINCE, 1) - value(&r, LOAD_SENT, 1));
    CHECK_EQUAL(33, r.in_time);
    /* One that was sent after it was done: the clocks differ. */
    const struct event from_the_future = {.number = 48, .due = 100, .sent = INT64_MAX / 2};
    load_sample(&load, &r, &from_the_future, 900000, 49, start);
    CHECK_EQUAL(0, value(&r, LOAD_SENT, 2));
    CHECK_EQUAL(1, r.backward);
    /* The first of all has none before it. */
    CHECK(load_sample(&load, &r, &(struct event){.due = 100}, 900000, 1, start) >= 1000000);
    CHECK_EQUAL(3, count(&r, LOAD_INTENDED));
    /* Not the first tenth; and nothing is in time past the limit. */
    source.settled = 100;
    source.limit_ns = 1000;
    r.in_time = 7;
    load_sample(&load, &r, &(struct event){.number = 64, .due = 100, .sent = 200}, 900000, 65, start);
    CHECK_EQUAL(3, count(&r, LOAD_INTENDED));
    CHECK_EQUAL(7, r.in_time);
    /* Of several consumers none knows when it was free for an event. */
    load.consumers = 2;
    load_sample(&load, &r, &(struct event){.number = 112, .due = 100, .sent = 200}, 900000, 113, start);
    CHECK_EQUAL(4, count(&r, LOAD_INTENDED));
    CHECK_EQUAL(3, count(&r, LOAD_SINCE));
    close_series(&r);
}

/* Of a producer that has not settled nothing is sampled, whoever else has. */
static void producers_settle_apart(void) {
    struct source sources[2] = {{.settled = 0}, {.settled = 100}};
    struct receipts r = {0};
    struct load load = {.producers = 2, .consumers = 1, .stall_at = INT64_MAX, .sources = sources};
    open_series(&r);
    for (int64_t p = 0; p < 2; p++) {
        const struct event event = {.number = p << LOAD_PRODUCER_SHIFT | 50};
        load_sample(&load, &r, &event, 0, 1, 0);
    }
    CHECK_EQUAL(1, count(&r, LOAD_INTENDED));
    close_series(&r);
}

/* Events 15, 31, ... are the first of a pair: the clock after them is what the second starts from. */
static void one_pair_in_so_many_events_is_sampled(void) {
    struct source source = {.limit_ns = INT64_MAX};
    struct receipts r = {0};
    struct load load = {
        .mask = 15, .producers = 1, .consumers = 1, .in_order = true, .stall_at = INT64_MAX, .sources = &source};
    open_series(&r);
    struct tally t = {0};
    const int64_t start = clock_ns();
    int64_t before = 0;
    for (int64_t i = 0; i < 100; i++) {
        const int64_t previous = t.previous;
        load_receive(&load, &r, &t, &(struct event){.number = i}, start, true, false);
        CHECK((t.previous != previous) == (i % 16 == 0 || i % 16 == 15));
        if (i > 0 && i % 16 == 0) {
            CHECK_EQUAL(t.previous - before, value(&r, LOAD_SINCE, (int)i / 16 - 1));
        }
        before = t.previous;
    }
    CHECK_EQUAL(6, count(&r, LOAD_INTENDED)); /* not the first of all */
    CHECK_EQUAL(97, r.in_time);
    CHECK_EQUAL(0, t.faults);
    /* Without a schedule: one in many, and only the time in the queue. */
    t = (struct tally){0};
    for (int64_t i = 0; i < 3 * LOAD_UNSTAMPED_EVERY; i++) {
        load_receive(&load, &r, &t, &(struct event){.number = i, .sent = -500}, start, false, false);
    }
    CHECK_EQUAL(3, count(&r, LOAD_FULL));
    CHECK(value(&r, LOAD_FULL, 0) >= 500 && value(&r, LOAD_FULL, 2) <= clock_ns() - start + 500);
    CHECK(t.content == 0 && count(&r, LOAD_INTENDED) == 6);
    load_sample_full(&r, -1);
    CHECK(value(&r, LOAD_FULL, 3) == 0 && r.backward == 1);
    close_series(&r);
}

static void a_stall_happens_once(void) {
    struct source source = {.limit_ns = INT64_MAX};
    struct receipts r = {0};
    struct load load = {.mask = 15, .stall_at = 40, .stall_ns = 3000000, .sources = &source};
    open_series(&r);
    int stalls = 0;
    for (int64_t i = 0; i < 100; i += 16) {
        const int64_t before = clock_ns();
        load_sample(&load, &r, &(struct event){.number = i}, 0, i, before);
        const bool stalled = clock_ns() - before >= 3000000;
        stalls += i == 48 && stalled;
        CHECK(i != 32 || load.stall_at == 40);
    }
    CHECK_EQUAL(1, stalls);
    CHECK_EQUAL(INT64_MAX, load.stall_at);
    close_series(&r);
}

int main(void) {
    pairs_tell_the_service();
    producers_settle_apart();
    one_pair_in_so_many_events_is_sampled();
    a_stall_happens_once();
    TEST_END();
}
