/* The producer's loop, under a clock that the test sets; and waits that must come to an end. */
#include "load/pacer.h"
#include "load/receipts.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 1 << 16, LENGTH_NS = 20000000 };

static int64_t due[MOST];

/* It goes on by 10 ns with every reading, and jumps once. */
static int64_t time_ns, jump_at, jump_ns;

static int64_t scripted_clock(void) {
    time_ns += 10;
    if (jump_ns && time_ns >= jump_at) {
        time_ns += jump_ns;
        jump_ns = 0;
    }
    return time_ns;
}

/* What the events are handed to: it takes `room` of them. */
static struct event sent[MOST];
static int64_t sent_at[MOST], progress_at[MOST];
static int sent_count, flushes, room;
static struct event next_slot;

static struct event *claim(void *shared, struct source *source, struct patience *patience) {
    (void)shared;
    (void)source;
    (void)patience;
    return sent_count < room ? &next_slot : NULL;
}

static void publish(void *shared, struct source *source, struct event *slot) {
    (void)shared;
    sent_at[sent_count] = time_ns;
    progress_at[sent_count] = source->progress;
    sent[sent_count++] = *slot;
    slot->sent = -1;
}

static void flush(void *shared, struct source *source) {
    (void)shared;
    (void)source;
    flushes++;
}

/* A producer and a consumer, and nothing sent yet. */
static struct receipts receipts;
static struct source source;
static int64_t late[MOST];

static struct load begin(int64_t count) {
    receipts = (struct receipts){0};
    source = (struct source){
        .due = due, .count = count, .limit_ns = INT64_MAX, .look_ns = INT64_MAX, .late = {late, 0, MOST}};
    time_ns = jump_ns = 0;
    sent_count = flushes = 0;
    room = MOST;
    return (struct load){.mask = 15, .producers = 1, .consumers = 1, .sources = &source, .receipts = &receipts};
}

static int64_t send_all(struct load *load, bool stamped, bool several) {
    struct patience patience = {.load = load};
    const int64_t count =
        load_send(load, &source, &patience, NULL, claim, publish, flush, scripted_clock, 0, stamped, several);
    CHECK_EQUAL(sent_count, count);
    return count;
}

static void evenly(int64_t count) {
    for (int i = 0; i < count; i++) {
        due[i] = 1000 * (i + 1);
    }
}

static void nothing_is_sent_before_it_is_due_and_all_is_sent(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 1);
    const int64_t count = arrivals_due(&arrivals, 0, 1e6, 1, LENGTH_NS, due, MOST);
    arrivals_free(&arrivals);
    struct load load = begin(count);
    source.index = 2;
    source.settled = count / 10;
    CHECK_EQUAL(count, send_all(&load, true, false));
    for (int i = 0; i < count; i++) {
        CHECK(sent[i].number == (INT64_C(2) << LOAD_PRODUCER_SHIFT | i));
        CHECK(sent[i].due == due[i] && sent[i].sent >= due[i] && sent_at[i] >= due[i]);
        CHECK(sent[i].sent <= sent_at[i]);
        CHECK_EQUAL(0, progress_at[i]); /* nobody asks */
    }
    /* Sampled: one in 16 of those that have settled, each with its own reading of the clock. */
    CHECK_EQUAL((count - 1) / 16 - (source.settled + 15) / 16 + 1, source.late.count);
    int64_t sample = 0;
    for (int64_t i = 0; i < count; i += 16) {
        CHECK_EQUAL(sent_at[i], sent[i].sent);
        if (i >= source.settled) {
            CHECK_EQUAL(sent_at[i] - due[i], late[sample++]);
        }
    }
}

static void what_a_jump_makes_late_goes_out_in_order_with_its_due_times(void) {
    evenly(100);
    struct load load = begin(100);
    load.mask = 4095;
    jump_at = 20500;
    jump_ns = 10000;
    CHECK_EQUAL(100, send_all(&load, true, true));
    int at_once = 0;
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(i, sent[i].number);
        CHECK_EQUAL(1000 * (i + 1), sent[i].due);
        CHECK_EQUAL(i, progress_at[i]);
        at_once += sent[i].sent >= 30500 && sent[i].sent < 31000;
        /* Those before and after the jump are on time: nothing is left out, nothing shifted. */
        CHECK((i >= 20 && i < 30) || sent[i].sent - sent[i].due <= 20);
    }
    CHECK_EQUAL(10, at_once);
    CHECK_EQUAL(91, flushes);
}

static void a_limit_ends_the_sending(void) {
    memset(due, 0, sizeof due);
    struct load load = begin(MOST);
    source.limit_ns = 1000;
    const int64_t count = send_all(&load, true, false);
    CHECK_EQUAL(99 * 16, count); /* it is read once in 16 events, from 10 ns on */
    load = begin(MOST);
    source.limit_ns = 0; /* some are sent all the same */
    CHECK_EQUAL(16, send_all(&load, true, false));
}

static void without_a_schedule_one_in_many_events_carries_its_time(void) {
    struct load load = begin(INT64_MAX);
    source.due = NULL;
    source.limit_ns = 100;
    const int64_t count = send_all(&load, false, false);
    CHECK_EQUAL(9 * LOAD_UNSTAMPED_EVERY, count);
    CHECK_EQUAL(0, source.late.count);
    for (int64_t i = 0; i < count; i++) {
        CHECK_EQUAL(i % LOAD_UNSTAMPED_EVERY ? -1 : sent_at[i], sent[i].sent);
    }
}

static void who_gets_no_room_ends(void) {
    evenly(100);
    struct load load = begin(100);
    room = 7;
    CHECK_EQUAL(7, send_all(&load, true, false));
    /* As does who learns from its looks that all was given up. */
    load = begin(100);
    source.look_ns = 0;
    load_abandon(&load);
    CHECK_EQUAL(0, send_all(&load, true, false));
}

static void occupancy_is_sent_less_handled(void) {
    struct source sources[2] = {{.settled = 10, .progress = 99}, {.index = 1, .progress = 5}};
    struct receipts consumers[2] = {{.handled = 8}, {.handled = 4}};
    const struct load load = {.producers = 2, .consumers = 2, .sources = sources, .receipts = consumers};
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (int i = 0; i < 1000; i++) {
        load_look(&load, &sources[0], 20, 7000, scripted_clock, 0);
        const int64_t next = sources[0].look_ns - 7000;
        least = next < least ? next : least;
        most = next > most ? next : most;
    }
    CHECK(least >= 8000 && least < 9000 && most > 31000 && most < 32000);
    CHECK_EQUAL(1000, sources[0].occupancy_samples);
    CHECK_EQUAL(1000 * (20 + 5 - 8 - 4), sources[0].occupancy);
    load_look(&load, &sources[0], 10, 0, scripted_clock, 0); /* before it has settled */
    CHECK_EQUAL(1000, sources[0].occupancy_samples);
    load_look(&load, &sources[1], 20, 0, scripted_clock, 0); /* the first one counts for all */
    CHECK_EQUAL(0, sources[1].occupancy_samples);
}

/* A look takes time, in which nothing is sent and the others go on. */
static void what_falls_due_during_a_look_is_on_its_way(void) {
    evenly(100);
    struct load load = begin(100);
    receipts.handled = 19;
    time_ns = 25090;
    load_look(&load, &source, 20, 20990, scripted_clock, 0);
    CHECK_EQUAL(1 + 5, source.occupancy); /* due at 21,000 to 25,000 */
    time_ns = 25090;
    load_look(&load, &source, 20, 21000, scripted_clock, 0); /* one was due before: all are late */
    CHECK_EQUAL(1 + 5 + 1, source.occupancy);
    time_ns = 1000000;
    load_look(&load, &source, 99, 99000, scripted_clock, 0); /* the last one */
    CHECK_EQUAL(1 + 5 + 1 + 81, source.occupancy);
    load_look(&load, &source, 100, 100000, scripted_clock, 0);
    CHECK_EQUAL(1 + 5 + 1 + 81 + 81, source.occupancy);
}

static void looks_happen_while_waiting_and_while_sending(void) {
    evenly(100);
    struct load load = begin(100);
    source.look_ns = 0;
    CHECK_EQUAL(100, send_all(&load, true, false));
    CHECK(source.occupancy_samples >= 100000 / 32000 && source.occupancy_samples <= 12);
    memset(due, 0, sizeof due);
    load = begin(MOST);
    source.look_ns = 0;
    load.mask = 0;
    CHECK_EQUAL(MOST, send_all(&load, true, false));
    CHECK(source.occupancy_samples >= MOST * 10 / 32000);
}

static void an_iteration_starts_on_time_and_ends_with_its_mark(void) {
    memset(due, 0, sizeof due);
    for (int marks = 0; marks <= 1; marks++) {
        struct load load = begin(50);
        load.length_ns = 1000000;
        struct worker worker = {.deadline_ns = clock_ns() + load.length_ns + 100000};
        load_pace(&load, &worker, &source, INT64_MAX / 2, NULL, claim, publish, flush, marks, marks, false);
        const int64_t start = worker.deadline_ns - load.length_ns + LOAD_START_NS;
        CHECK_EQUAL(start, load.start_ns);
        CHECK_EQUAL(50, source.sent);
        CHECK_EQUAL(50 + marks, sent_count);
        CHECK(sent[0].sent >= 0 && start + sent[0].sent <= source.end_ns);
        CHECK(source.end_ns <= clock_ns());
        if (marks) {
            CHECK_EQUAL(LOAD_END, sent[50].number);
            CHECK_EQUAL(50, sent[50].due);
            CHECK_EQUAL(2, flushes);
        }
    }
}

static void a_producer_begins_anew(void) {
    source = (struct source){
        .progress = 1, .look_ns = 2, .occupancy = 3, .occupancy_samples = 4, .full = 5, .failed_offers = 6};
    source_prepare(&source, 20);
    CHECK(source.late.room == 20 && source.late.count == 0);
    CHECK(source.progress == 0 && source.look_ns == 0 && source.occupancy == 0);
    CHECK(source.occupancy_samples == 0 && source.full == 0 && source.failed_offers == 0);
    free(source.late.values);
}

static void a_hopeless_wait_ends_and_ends_the_others(void) {
    struct load load = {0};
    struct worker worker = {.deadline_ns = clock_ns() - 2000};
    struct patience patience = load_patient(&load, &worker, 1000);
    int turns = 0;
    while (load_wait(&patience) && turns < 1 << 20) {
        turns++;
    }
    CHECK(turns > 1000 && turns < 10000);
    CHECK(load_abandoned(&load));
    worker.oversubscribed = true;
    patience = load_patient(&load, &worker, INT64_C(3600000000000));
    for (turns = 0; load_wait(&patience); turns++) {
    }
    CHECK(turns < 64);
    load.abandoned = false;
    for (turns = 0; turns < 20000; turns++) {
        CHECK(load_wait(&patience));
    }
}

int main(void) {
    nothing_is_sent_before_it_is_due_and_all_is_sent();
    what_a_jump_makes_late_goes_out_in_order_with_its_due_times();
    a_limit_ends_the_sending();
    without_a_schedule_one_in_many_events_carries_its_time();
    who_gets_no_room_ends();
    occupancy_is_sent_less_handled();
    what_falls_due_during_a_look_is_on_its_way();
    looks_happen_while_waiting_and_while_sending();
    an_iteration_starts_on_time_and_ends_with_its_mark();
    a_producer_begins_anew();
    a_hopeless_wait_ends_and_ends_the_others();
    TEST_END();
}
