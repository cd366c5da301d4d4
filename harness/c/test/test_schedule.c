#include "load.h"
#include "schedule.h"
#include "stats.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 1 << 16, LENGTH_NS = 20000000 };

static int64_t due[MOST];

/* The same numbers as in lab.load: what is due first for seed 1 at a million events per second. */
static void arrivals_are_those_of_java(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 1);
    const int64_t first[] = {836, 2205, 5746, 6333, 6921};
    const int64_t second[] = {667, 1386, 1636, 1638, 1973};
    CHECK_EQUAL(20250,
                arrivals_due(&arrivals, arrivals_place(0, 0, 1), 1e6, 1, LENGTH_NS, due, MOST));
    for (size_t i = 0; i < N(first); i++) {
        CHECK_EQUAL(first[i], due[i]);
    }
    CHECK_EQUAL(7919, arrivals_place(1, 0, 1));
    CHECK_EQUAL(20053, arrivals_due(&arrivals, 7919, 1e6, 1, LENGTH_NS, due, MOST));
    for (size_t i = 0; i < N(second); i++) {
        CHECK_EQUAL(second[i], due[i]);
    }
    CHECK_EQUAL(7919 + 2 * (SCHEDULE_GAPS / 3), arrivals_place(1, 2, 3));
    arrivals_free(&arrivals);
}

static void gaps_are_exponential_with_the_mean_asked_for(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 7);
    enum { RATE = 2000000 };
    double sum = 0;
    for (int iteration = 0; iteration < 40; iteration++) {
        sum += (double)arrivals_due(&arrivals, arrivals_place(iteration, 0, 1), RATE, 1, LENGTH_NS,
                                    due, MOST);
    }
    CHECK(fabs(sum / 40 / (RATE * (LENGTH_NS * 1e-9)) - 1) < 0.01);
    /* Kolmogorov-Smirnov at 1 %, of what is drawn: due times are whole nanoseconds. */
    enum { GAPS = 10000 };
    static int64_t gaps[GAPS];
    for (int k = 0; k < GAPS; k++) {
        gaps[k] = (int64_t)(arrivals.gaps[k] * 1e9);
    }
    stats_sort(gaps, GAPS);
    double distance = 0;
    for (int k = 0; k < GAPS; k++) {
        const double expected = 1 - exp(-(double)gaps[k] * 1e-9);
        distance = fmax(distance, fabs(expected - (double)k / GAPS));
        distance = fmax(distance, fabs(expected - (double)(k + 1) / GAPS));
    }
    CHECK(distance < 1.63 / sqrt(GAPS));
    arrivals_free(&arrivals);
}

static void due_times_rise_end_and_come_again(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 3);
    /* Past the last gap the first comes again; what has no room is counted. */
    const int64_t count = arrivals_due(&arrivals, SCHEDULE_GAPS - 2, 1e6, 1, LENGTH_NS, due, 8);
    CHECK(count > 19000 && count < 21000);
    const double third =
        (arrivals.gaps[SCHEDULE_GAPS - 2] + arrivals.gaps[SCHEDULE_GAPS - 1] + arrivals.gaps[0]) *
        1000;
    CHECK_EQUAL((int64_t)third, due[2]);
    arrivals_due(&arrivals, 5, 1e6, 1, LENGTH_NS, due, MOST);
    for (int i = 1; i < 19000; i++) {
        CHECK(due[i - 1] <= due[i] && due[i] < LENGTH_NS);
    }
    /* In groups: as many events, 64 at once. */
    const int64_t grouped = arrivals_due(&arrivals, 5, 1e6, 64, LENGTH_NS, due, MOST);
    CHECK(grouped % 64 == 0 && grouped > 15000 && grouped < 25000);
    CHECK(due[0] == due[63] && due[63] < due[64] && due[64] == due[127]);
    CHECK_EQUAL(0, arrivals_due(&arrivals, 5, 1, 1, 1000, due, MOST));
    arrivals_free(&arrivals);
}

static void uniform_arrivals_are_evenly_spaced(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, false, 3);
    CHECK_EQUAL(19, arrivals_due(&arrivals, 17, 1e6, 1, 20000, due, MOST));
    for (int i = 0; i < 19; i++) {
        CHECK_EQUAL(1000 * (i + 1), due[i]);
    }
    arrivals_free(&arrivals);
}

/* A clock that a test sets: it goes on by 10 ns with every reading, and jumps once. */
static int64_t time_ns, jump_at, jump_ns;

static int64_t scripted_clock(void) {
    time_ns += 10;
    if (jump_ns && time_ns >= jump_at) {
        time_ns += jump_ns;
        jump_ns = 0;
    }
    return time_ns;
}

static struct event sent[MOST];
static int64_t sent_at[MOST];
static int sent_count, flushes;
static struct event next_slot;

static struct event *claim(void *shared, struct source *source, struct patience *patience) {
    (void)shared;
    (void)source;
    (void)patience;
    return &next_slot;
}

static void publish(void *shared, struct source *source, struct event *slot) {
    (void)shared;
    (void)source;
    sent_at[sent_count] = time_ns;
    sent[sent_count++] = *slot;
}

static void flush(void *shared, struct source *source) {
    (void)shared;
    (void)source;
    flushes++;
}

static int64_t send_all(struct load *load, struct source *source, int64_t count) {
    struct receipts receipts = {0};
    load->receipts = &receipts;
    load->consumers = 1;
    load->producers = 1;
    source->due = due;
    source->count = count;
    source->limit_ns = INT64_MAX;
    source->look_ns = INT64_MAX;
    sent_count = flushes = 0;
    struct patience patience = {.load = load};
    return load_send(load, source, &patience, NULL, claim, publish, flush, scripted_clock, 0, true,
                     false);
}

static void nothing_is_sent_before_it_is_due_and_all_is_sent(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 1);
    struct load load = {.mask = 15};
    struct source source = {.index = 2};
    int64_t late[MOST];
    source.late = (struct samples){late, 0, MOST};
    time_ns = 0;
    const int64_t count = arrivals_due(&arrivals, 0, 1e6, 1, LENGTH_NS, due, MOST);
    source.settled = count / 10;
    CHECK_EQUAL(count, send_all(&load, &source, count));
    CHECK_EQUAL(count, sent_count);
    for (int i = 0; i < count; i++) {
        CHECK(sent[i].number == (INT64_C(2) << LOAD_PRODUCER_SHIFT | i));
        CHECK(sent[i].due == due[i] && sent[i].sent >= due[i] && sent_at[i] >= due[i]);
        CHECK(sent[i].sent <= sent_at[i]);
    }
    /* Sampled: one in 16 of those that have settled, each with its own reading of the clock. */
    CHECK_EQUAL((count - 1) / 16 - (source.settled + 15) / 16 + 1, source.late.count);
    for (int64_t i = 16; i < count; i += 16) {
        CHECK_EQUAL(sent_at[i], sent[i].sent);
    }
    arrivals_free(&arrivals);
}

static void what_a_jump_makes_late_goes_out_in_order_with_its_due_times(void) {
    struct load load = {.mask = 4095};
    struct source source = {0};
    for (int i = 0; i < 100; i++) {
        due[i] = 1000 * (i + 1);
    }
    time_ns = 0;
    jump_at = 20500;
    jump_ns = 10000;
    CHECK_EQUAL(100, send_all(&load, &source, 100));
    int at_once = 0;
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(i, sent[i].number);
        CHECK_EQUAL(1000 * (i + 1), sent[i].due);
        at_once += sent[i].sent >= 30500 && sent[i].sent < 31000;
        /* Those before and after the jump are on time: nothing is left out, nothing shifted. */
        CHECK((i >= 20 && i < 30) || sent[i].sent - sent[i].due <= 20);
    }
    CHECK_EQUAL(10, at_once);
    CHECK_EQUAL(91, flushes);
}

static void a_limit_ends_the_sending(void) {
    struct load load = {.mask = 15};
    struct source source = {0};
    memset(due, 0, sizeof due);
    time_ns = 0;
    source.due = due;
    source.count = MOST;
    source.limit_ns = 1000;
    source.look_ns = INT64_MAX;
    sent_count = 0;
    struct patience patience = {.load = &load};
    const int64_t count = load_send(&load, &source, &patience, NULL, claim, publish, flush,
                                    scripted_clock, 0, true, false);
    CHECK_EQUAL(count, sent_count);
    CHECK(count % 16 == 0 && count > 0 && count < MOST);
}

/* Events done by a consumer that the test times: c(i-1), and what a sample makes of it. */
static void pairs_tell_the_service(void) {
    struct load load = {.mask = 15, .producers = 1, .consumers = 1, .stall_at = INT64_MAX};
    struct source source = {.limit_ns = INT64_MAX};
    struct receipts r = {0};
    int64_t room[5][8];
    struct samples *series[] = {&r.intended, &r.sent, &r.busy, &r.idle};
    for (size_t i = 0; i < N(series); i++) {
        *series[i] = (struct samples){room[i], 0, 8};
    }
    load.sources = &source;
    load.receipts = &r;
    const int64_t now = clock_ns();
    const int64_t start = now - 1000000; /* done is at least 1,000,000 */
    load_sample(&load, &r, &(struct event){.number = 16, .due = 100, .sent = 200}, 900000, 17,
                start);
    CHECK(r.busy.count == 1 && r.idle.count == 0);
    CHECK_EQUAL(r.intended.values[0] - 100, r.sent.values[0]);
    CHECK_EQUAL(r.intended.values[0] + 100, r.busy.values[0] + 900000);
    load_sample(&load, &r, &(struct event){.number = 32, .due = 100, .sent = 950000}, 900000, 33,
                start);
    CHECK(r.busy.count == 1 && r.idle.count == 1);
    CHECK_EQUAL(r.sent.values[1], r.idle.values[0]);
    CHECK_EQUAL(33, r.in_time);
    /* One that was sent after it was done: the clocks differ. */
    load_sample(&load, &r, &(struct event){.number = 48, .due = 100, .sent = INT64_MAX / 2}, 900000,
                49, start);
    CHECK_EQUAL(0, r.sent.values[2]);
    CHECK_EQUAL(2, r.backward);
    /* Not the first tenth. */
    source.settled = 100;
    load_sample(&load, &r, &(struct event){.number = 64, .due = 100, .sent = 200}, 900000, 65,
                start);
    CHECK_EQUAL(3, r.intended.count);
}

static void a_receipt_checks_number_order_and_content(void) {
    struct source sources[4] = {0};
    struct load load = {.mask = 4095, .in_order = true, .stall_at = INT64_MAX, .sources = sources};
    struct receipts r = {0};
    struct tally t = {0};
    const int64_t numbers[] = {0, 1, 1, 3, 2};
    const int64_t faults[] = {0, 0, 1, 2, 3};
    for (size_t i = 0; i < N(numbers); i++) {
        const struct event event = {.number = numbers[i], .due = 1 << i};
        load_receive(&load, &r, &t, &event, 0, true, false);
        CHECK_EQUAL(faults[i], t.faults);
        CHECK_EQUAL((int64_t)i + 1, r.handled);
    }
    CHECK_EQUAL(7, t.numbers);
    CHECK_EQUAL(31, t.content);
    /* Of several consumers each sees some of the events: still in order. */
    load.in_order = false;
    t = (struct tally){0};
    for (size_t i = 0; i < N(numbers); i++) {
        const struct event event = {.number = numbers[i] | INT64_C(3) << LOAD_PRODUCER_SHIFT};
        load_receive(&load, &r, &t, &event, 0, true, true);
    }
    CHECK_EQUAL(2, t.faults);
    CHECK_EQUAL(3, t.expected[3]);
}

static void phases_follow_each_other(void) {
    const struct phase phases[] = {{"warmup", 2, 1}, {"none", 0, 1}, {"measured", 3, 2}, {0}};
    CHECK_TEXT("warmup", phase_of(phases, 1)->name);
    CHECK_TEXT("measured", phase_of(phases, 2)->name);
    CHECK_TEXT("measured", phase_of(phases, 4)->name);
    CHECK(phase_of(phases, 5) == NULL);
}

int main(void) {
    arrivals_are_those_of_java();
    gaps_are_exponential_with_the_mean_asked_for();
    due_times_rise_end_and_come_again();
    uniform_arrivals_are_evenly_spaced();
    nothing_is_sent_before_it_is_due_and_all_is_sent();
    what_a_jump_makes_late_goes_out_in_order_with_its_due_times();
    a_limit_ends_the_sending();
    pairs_tell_the_service();
    a_receipt_checks_number_order_and_content();
    phases_follow_each_other();
    TEST_END();
}
