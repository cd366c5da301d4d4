/* When a producer sends: the schedules of every kind of iteration, one after the other. */
#include "load/schedule.h"
#include "status.h"
#include "test.h"

#include <stdlib.h>

enum { MS = 1000000 };

static struct source source;
static struct arrivals uniform;

static void events_come_at_the_rate_asked_for(void) {
    static int64_t due[8192];
    struct arrivals poisson;
    arrivals_init(&poisson, true, 1);
    schedule_paced(&source, &poisson, 7, 1e6, 1, 5 * MS);
    const int64_t count = arrivals_due(&poisson, 7, 1e6, 1, 5 * MS, due, (int64_t)N(due));
    CHECK_EQUAL(count, source.count);
    CHECK_EQUAL(INT64_MAX, source.limit_ns);
    for (int64_t i = 0; i < count; i++) {
        CHECK_EQUAL(due[i], source.due[i]);
    }
    schedule_paced(&source, &poisson, 7, 1e6, LOAD_BURST, 5 * MS);
    CHECK(source.count > 0 && source.count % LOAD_BURST == 0);
    CHECK_EQUAL(source.due[0], source.due[LOAD_BURST - 1]);
    arrivals_free(&poisson);
}

static void more_events_than_the_rate_promises_find_room(void) {
    struct arrivals crowded;
    arrivals_init(&crowded, false, 1);
    for (int k = 0; k < ARRIVALS_GAPS; k++) {
        crowded.gaps[k] = 0.25;
    }
    schedule_paced(&source, &crowded, 0, 1e6, 1, 20 * MS);
    CHECK_EQUAL(79999, source.count);
    CHECK_EQUAL(250, source.due[0]);
    CHECK_EQUAL(19999750, source.due[79998]);
    arrivals_free(&crowded);
}

static void the_beginning_is_not_sampled(void) {
    schedule_paced(&source, &uniform, 0, 1e6, 1, 5 * MS);
    CHECK_EQUAL(999, source.settled); /* past the first millisecond, which is more than a tenth */
    schedule_paced(&source, &uniform, 0, 1e6, 1, 50 * MS);
    CHECK_EQUAL(4999, source.settled);
    schedule_paced(&source, &uniform, 0, 1e4, 1, MS / 2);
    CHECK_EQUAL(source.count, source.settled);
}

static void a_saturated_schedule_forgets_the_one_before(void) {
    schedule_saturated(&source, true, MS);
    schedule_paced(&source, &uniform, 0, 1e6, 1, 5 * MS);
    schedule_saturated(&source, true, 3 * MS);
    CHECK_EQUAL(3 * MS, source.limit_ns);
    CHECK_EQUAL(0, source.settled);
    CHECK_EQUAL(LOAD_SATURATED_EVENTS, source.count);
    CHECK_EQUAL(LOAD_SATURATED_EVENTS, schedule_most(&source, 3 * MS));
    for (int64_t i = 0; i < source.count; i++) {
        CHECK(source.due[i] == 0);
    }
    schedule_saturated(&source, false, 3 * MS);
    CHECK_EQUAL(INT64_MAX, source.count);
    CHECK_EQUAL(3 * MS, schedule_most(&source, 3 * MS));
}

static void an_empty_schedule_follows_a_full_one(void) {
    schedule_saturated(&source, true, 3 * MS);
    schedule_empty(&source);
    CHECK_EQUAL(0, source.count);
    CHECK_EQUAL(INT64_MAX, source.limit_ns);
    CHECK_EQUAL(0, schedule_most(&source, 3 * MS));
}

static void the_content_is_of_what_was_sent(void) {
    schedule_paced(&source, &uniform, 0, 1e6, 1, 5 * MS);
    source.sent = 3;
    CHECK_EQUAL(1000 ^ 2000 ^ 3000, schedule_content(&source));
    source.sent = 0;
    CHECK_EQUAL(0, schedule_content(&source));
}

static void too_many_events_are_refused(void) {
    CHECK(schedule_fits(LOAD_MOST_EVENTS, 1000 * MS));
    CHECK(!schedule_fits(LOAD_MOST_EVENTS + 1, 1000 * MS));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, schedule_refuse(2e9, 10 * MS));
    CHECK_TEXT("--iteration-ms: '10' is not accepted: at 2e+09 events/s (--rate or --load) these "
               "are more than 8388608 events, give less of either",
               failure());
}

int main(void) {
    arrivals_init(&uniform, false, 1);
    events_come_at_the_rate_asked_for();
    more_events_than_the_rate_promises_find_room();
    the_beginning_is_not_sampled();
    a_saturated_schedule_forgets_the_one_before();
    an_empty_schedule_follows_a_full_one();
    the_content_is_of_what_was_sent();
    too_many_events_are_refused();
    free(source.due);
    arrivals_free(&uniform);
    TEST_END();
}
