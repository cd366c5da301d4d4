/* What a consumer makes of its events: the check of each, samples, service times and batches. */
#include "load/batches.h"
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
    struct load load = {.mask = 15,
                        .producers = 1,
                        .consumers = 1,
                        .stall_at = INT64_MAX,
                        .sources = &source,
                        .receipts = &r};
    open_series(&r);
    const int64_t start = clock_ns() - 1000000; /* done is at least 1,000,000 */
    const struct event waited = {.number = 16, .due = 100, .sent = 200};
    load_sample(&load, &r, &waited, 900000, 17, start);
    CHECK(count(&r, LOAD_BUSY) == 1 && count(&r, LOAD_IDLE) == 0);
    const int64_t done = value(&r, LOAD_INTENDED, 0) + 100;
    CHECK_EQUAL(done - 200, value(&r, LOAD_SENT, 0));
    CHECK_EQUAL(done - 900000, value(&r, LOAD_BUSY, 0));
    CHECK_EQUAL(done, r.in_time_ns);
    /* It takes longer than any service: counted, and counted apart. */
    const double service = (double)value(&r, LOAD_BUSY, 0);
    CHECK(r.busy.count == 1 && r.busy.ns == service && r.busy.ns2 == service * service);
    CHECK(r.cut.count == 1 && r.cut.ns == service && r.cut.ns2 == service * service);
    const struct event found_it_idle = {.number = 32, .due = 100, .sent = 940000};
    load_sample(&load, &r, &found_it_idle, 900000, 33, start);
    CHECK(count(&r, LOAD_BUSY) == 1 && count(&r, LOAD_IDLE) == 1);
    CHECK_EQUAL(value(&r, LOAD_SENT, 1), value(&r, LOAD_IDLE, 0));
    CHECK(r.idle.count == 1 && r.idle.ns == (double)value(&r, LOAD_IDLE, 0));
    CHECK_EQUAL(33, r.in_time);
    /* One that was sent after it was done: the clocks differ. */
    const struct event from_the_future = {.number = 48, .due = 100, .sent = INT64_MAX / 2};
    load_sample(&load, &r, &from_the_future, 900000, 49, start);
    CHECK_EQUAL(0, value(&r, LOAD_SENT, 2));
    CHECK_EQUAL(2, r.backward);
    CHECK_EQUAL(2, r.cut.count); /* of no service at all it is none */
    /* The first of all has none before it. */
    CHECK(load_sample(&load, &r, &(struct event){.due = 100}, 900000, 1, start) >= 1000000);
    CHECK_EQUAL(3, count(&r, LOAD_INTENDED));
    /* Not the first tenth; and nothing is in time past the limit. */
    source.settled = 100;
    source.limit_ns = 1000;
    r.in_time = 7;
    load_sample(&load, &r, &(struct event){.number = 64, .due = 100, .sent = 200}, 900000, 65,
                start);
    CHECK_EQUAL(3, count(&r, LOAD_INTENDED));
    CHECK_EQUAL(7, r.in_time);
    /* Of several consumers none knows when it was free for an event. */
    load.consumers = 2;
    load_sample(&load, &r, &(struct event){.number = 112, .due = 100, .sent = 200}, 900000, 113,
                start);
    CHECK_EQUAL(4, count(&r, LOAD_INTENDED));
    CHECK_EQUAL(3, count(&r, LOAD_BUSY) + count(&r, LOAD_IDLE));
    close_series(&r);
}

static void a_receipt_checks_number_order_and_content(void) {
    struct source sources[4] = {0};
    struct load load = {.mask = 4095, .in_order = true, .stall_at = INT64_MAX, .sources = sources};
    struct receipts r = {0};
    struct tally t = {0};
    const int64_t numbers[] = {0, 1, 1, 3, 2};
    const int64_t faults[] = {0, 0, 1, 2, 3};
    for (size_t i = 0; i < N(numbers); i++) {
        const struct event event = {.number = numbers[i], .due = (int64_t)i + 1};
        load_receive(&load, &r, &t, &event, 0, true, false);
        CHECK_EQUAL(faults[i], t.faults);
        CHECK_EQUAL((int64_t)i + 1, r.handled);
    }
    CHECK_EQUAL(7, t.numbers);
    CHECK_EQUAL(1 ^ 2 ^ 3 ^ 4 ^ 5, t.content);
    CHECK_EQUAL(5, t.latest);
    /* Of several consumers each sees some of the events: still in order. */
    load.in_order = false;
    t = (struct tally){0};
    for (size_t i = 0; i < N(numbers); i++) {
        const struct event event = {.number = numbers[i] | INT64_C(3) << LOAD_PRODUCER_SHIFT};
        load_receive(&load, &r, &t, &event, 0, true, true);
    }
    CHECK_EQUAL(2, t.faults);
    CHECK_EQUAL(7, t.numbers);
    CHECK_EQUAL(3, t.expected[3]);
    CHECK_EQUAL(0, t.expected[0]);
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

/* Events 15, 31, ... are the first of a pair: the clock after them is what the second starts from.
 */
static void one_pair_in_so_many_events_is_sampled(void) {
    struct source source = {.limit_ns = INT64_MAX};
    struct receipts r = {0};
    struct load load = {.mask = 15,
                        .producers = 1,
                        .consumers = 1,
                        .in_order = true,
                        .stall_at = INT64_MAX,
                        .sources = &source};
    open_series(&r);
    struct tally t = {0};
    const int64_t start = clock_ns();
    int64_t before = 0;
    for (int64_t i = 0; i < 100; i++) {
        const int64_t previous = t.previous;
        load_receive(&load, &r, &t, &(struct event){.number = i}, start, true, false);
        CHECK((t.previous != previous) == (i % 16 == 0 || i % 16 == 15));
        if (i > 0 && i % 16 == 0) {
            CHECK_EQUAL(t.previous - before, value(&r, LOAD_BUSY, (int)i / 16 - 1));
        }
        before = t.previous;
    }
    CHECK_EQUAL(6, count(&r, LOAD_INTENDED)); /* not the first of all */
    CHECK_EQUAL(97, r.in_time);
    CHECK_EQUAL(0, t.faults);
    /* Without a schedule: one in many, and only the time in the queue. */
    t = (struct tally){0};
    for (int64_t i = 0; i < 3 * LOAD_UNSTAMPED_EVERY; i++) {
        load_receive(&load, &r, &t, &(struct event){.number = i, .sent = -500}, start, false,
                     false);
    }
    CHECK_EQUAL(3, count(&r, LOAD_FULL));
    CHECK(value(&r, LOAD_FULL, 0) >= 500 && value(&r, LOAD_FULL, 2) <= clock_ns() - start + 500);
    CHECK(t.content == 0 && count(&r, LOAD_INTENDED) == 6);
    load_sample_full(&r, -1);
    CHECK(value(&r, LOAD_FULL, 3) == 0 && r.backward == 1);
    close_series(&r);
}

static void known_work_is_done_for_every_event(void) {
    struct load load = {.mask = 15, .works = true};
    struct receipts *r = allocate(1, sizeof *r);
    struct tally t = {0};
    work_init(&r->work, 3, false, 0);
    for (int64_t i = 1; i < 6; i++) {
        load_receive(&load, r, &t, &(struct event){.number = i}, 0, false, false);
    }
    CHECK_EQUAL(15, (int64_t)r->work.steps);
    free(r);
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

/* What an iteration hands to load_consume(), two producers' events and their ends. */
static struct event queued[] = {
    {.number = 0, .due = 1},        {.number = INT64_C(1) << LOAD_PRODUCER_SHIFT, .due = 2},
    {.number = LOAD_END, .due = 2}, {.number = INT64_C(1) << LOAD_PRODUCER_SHIFT | 1, .due = 4},
    {.number = LOAD_END, .due = 1}, {.number = 1, .due = 8},
};
static size_t taken, released;

static struct event *take(void *shared, struct tally *tally, struct patience *patience) {
    (void)patience;
    tally->failed_polls++;
    return taken < *(size_t *)shared ? &queued[taken++] : NULL;
}

static void release(void *shared, struct event *slot) {
    (void)shared;
    CHECK(slot == &queued[released++]);
}

static void a_consumer_ends_with_the_last_end_mark(void) {
    struct source sources[2] = {0};
    struct receipts r = {0};
    struct load load = {.mask = 4095,
                        .producers = 2,
                        .consumers = 1,
                        .sources = sources,
                        .in_order = true,
                        .stall_at = INT64_MAX,
                        .receipts = &r};
    struct worker worker = {0};
    size_t all = N(queued);
    const int64_t before = clock_ns();
    load_consume(&load, &worker, &r, 0, &all, take, release, true, true);
    CHECK_EQUAL(5, (int64_t)released);
    CHECK(r.tally.ends == 2 && r.tally.announced == 3 && r.tally.handled == 3);
    CHECK(r.tally.content == 7 && r.tally.faults == 0 && r.tally.failed_polls == 5);
    CHECK(r.tally.end_ns >= before && r.tally.end_ns <= clock_ns());
    CHECK(!load_abandoned(&load));
    /* Who gets nothing more gives up, for all. */
    r.tally = (struct tally){0};
    taken = released = 0;
    all = 2;
    load_consume(&load, &worker, &r, 0, &all, take, release, true, true);
    CHECK(r.tally.handled == 2 && load_abandoned(&load));
}

static void batches_are_counted_by_size(void) {
    struct tally t = {0};
    const int64_t sizes[] = {1, 2, 3, 4, 1023, 1024, 0};
    for (size_t i = 0; i < N(sizes); i++) {
        load_batch(&t, sizes[i], 0);
    }
    CHECK_EQUAL(6, t.batches);
    CHECK_EQUAL(1 + 2 + 3 + 4 + 1023 + 1024, t.batch_events);
    CHECK(t.sizes[0] == 1 && t.sizes[1] == 2 && t.sizes[2] == 1);
    CHECK(t.sizes[9] == 1 && t.sizes[10] == 1 && t.timed == 0);
    load_batch(&t, 5, clock_ns() - 1000000);
    CHECK(t.timed == 1 && t.timed_events == 5 && t.batch_n2 == 25);
    CHECK(t.batch_ns >= 1e6 && t.batch_n_ns == 5 * t.batch_ns);
}

static void the_rate_is_that_until_the_producers_ended(void) {
    struct receipts consumers[2] = {
        {.in_time = 300, .in_time_ns = 2000, .tally = {.handled = 400}},
        {.in_time = 100, .in_time_ns = 1000, .tally = {.handled = 200}}};
    struct load load = {.consumers = 2, .receipts = consumers, .start_ns = 5000};
    CHECK(receipts_rate(&load) == 2e8);
    consumers[1] = (struct receipts){.tally = {.handled = 700, .end_ns = 9000}};
    CHECK(receipts_rate(&load) == 2.5e8); /* no sample tells */
    consumers[0] = consumers[1] = (struct receipts){.tally = {.end_ns = 5000}};
    CHECK(receipts_rate(&load) == 0);
}

static void an_iteration_begins_anew(void) {
    struct load load = {.stamped = true, .producers = 1, .consumers = 1};
    struct receipts r = {.handled = 1,
                         .tally = {.handled = 1},
                         .busy = {.count = 1},
                         .idle = {.count = 1},
                         .cut = {.count = 1},
                         .backward = 1,
                         .in_time = 1,
                         .in_time_ns = 1};
    receipts_prepare(&load, &r, 20);
    CHECK(r.series[LOAD_INTENDED].room == 20 && r.series[LOAD_SENT].room == 20);
    CHECK(r.series[LOAD_BUSY].room == 20 && r.series[LOAD_IDLE].room == 20);
    CHECK(r.series[LOAD_FULL].room == 0);
    CHECK(r.handled == 0 && r.tally.handled == 0 && r.backward == 0);
    CHECK(r.busy.count == 0 && r.idle.count == 0 && r.cut.count == 0);
    CHECK(r.in_time == 0 && r.in_time_ns == 0);
    load.stamped = false;
    samples_add(&r.series[LOAD_INTENDED], 5);
    receipts_prepare(&load, &r, 30);
    CHECK(r.series[LOAD_FULL].room == 30 && r.series[LOAD_INTENDED].count == 0);
    close_series(&r);
}

static void samples_grow_only_after_an_iteration(void) {
    struct samples s = {0};
    struct samples all = {0};
    samples_make_room(&s, 2);
    for (int i = 1; i <= 3; i++) {
        samples_add(&s, i);
    }
    CHECK_EQUAL(2, s.count);
    samples_append(&all, &s);
    samples_append(&all, &s);
    CHECK(all.count == 4 && all.values[1] == 2 && all.values[2] == 1 && all.values[3] == 2);
    all.count = 1;
    samples_append(&all, &s);
    CHECK(all.count == 3 && all.values[0] == 1 && all.values[2] == 2);
    samples_make_room(&s, 5);
    CHECK(s.room == 5 && s.count == 0);
    free(s.values);
    free(all.values);
}

int main(void) {
    pairs_tell_the_service();
    producers_settle_apart();
    a_receipt_checks_number_order_and_content();
    one_pair_in_so_many_events_is_sampled();
    known_work_is_done_for_every_event();
    a_stall_happens_once();
    a_consumer_ends_with_the_last_end_mark();
    batches_are_counted_by_size();
    the_rate_is_that_until_the_producers_ended();
    an_iteration_begins_anew();
    samples_grow_only_after_an_iteration();
    TEST_END();
}
