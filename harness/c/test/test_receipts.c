/* What a consumer makes of its events: the check of each, batches, the rate. */
#include "load/batches.h"
#include "load/pacer.h"
#include "load/receiver.h"
#include "test.h"

#include <stdlib.h>

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
    struct receipts consumers[2] = {{.in_time = 300, .in_time_ns = 2000, .tally = {.handled = 400}},
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
    struct receipts r = {.handled = 1, .tally = {.handled = 1}, .backward = 1, .in_time = 1, .in_time_ns = 1};
    receipts_prepare(&load, &r, 20);
    CHECK(r.series[LOAD_INTENDED].room == 20 && r.series[LOAD_SENT].room == 20);
    CHECK(r.series[LOAD_SINCE].room == 20);
    CHECK(r.series[LOAD_FULL].room == 0);
    CHECK(r.handled == 0 && r.tally.handled == 0 && r.backward == 0);
    CHECK(r.in_time == 0 && r.in_time_ns == 0);
    load.stamped = false;
    samples_add(&r.series[LOAD_INTENDED], 5);
    receipts_prepare(&load, &r, 30);
    CHECK(r.series[LOAD_FULL].room == 30 && r.series[LOAD_INTENDED].count == 0);
    for (int i = 0; i < LOAD_SERIES; i++) {
        free(r.series[i].values);
    }
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
    a_receipt_checks_number_order_and_content();
    known_work_is_done_for_every_event();
    a_consumer_ends_with_the_last_end_mark();
    batches_are_counted_by_size();
    the_rate_is_that_until_the_producers_ended();
    an_iteration_begins_anew();
    samples_grow_only_after_an_iteration();
    TEST_END();
}
