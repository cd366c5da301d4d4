/* The search for a capacity, on other sides that it was made for. */
#include "load/capacity.h"
#include "test.h"

struct side {
    double at_once, limit;
    int stops_every; /* tries of which one fails all the same; 0: none */
    int falls_after; /* tries after which the limit is a quarter; 0: it does not */
};

static struct capacity searched(struct side side) {
    struct capacity capacity = {0};
    int tries = 0;
    for (int i = 0; i < CAPACITY_ITERATIONS + CAPACITY_AFTER; i++) {
        const double rate = capacity_rate(&capacity);
        CHECK((rate == 0) == (i < 2));
        tries += rate > 0;
        const bool stopped = side.stops_every && tries % side.stops_every == 0;
        const bool fallen = side.falls_after && tries > side.falls_after;
        const double limit = fallen ? side.limit / 4 : side.limit;
        capacity_ended(&capacity, rate == 0 ? side.at_once : rate, rate <= limit && !stopped);
    }
    return capacity;
}

/* All due at once a ring took 16 M/s that bears 130; another took 200 M/s that bears 39. */
static void it_is_the_highest_rate_that_is_borne_whatever_was_taken_at_once(void) {
    const double at_once[] = {16e6, 39e6, 200e6};
    const double limits[] = {39e6, 130e6};
    for (int i = 0; i < 6; i++) {
        const double limit = limits[i % 2];
        const struct capacity found = searched((struct side){.at_once = at_once[i / 2], .limit = limit});
        CHECK(capacity_before(&found) <= limit && capacity_before(&found) > 0.8 * limit);
        CHECK(capacity_found(&found) <= limit && capacity_found(&found) > 0.7 * limit);
        CHECK(found.at_once == at_once[i / 2]);
        CHECK_EQUAL(0, found.failed);
    }
}

static void a_stop_of_the_host_fails_a_rate_once(void) {
    const struct capacity found = searched((struct side){.at_once = 20e6, .limit = 39e6, .stops_every = 4});
    CHECK(capacity_before(&found) > 0.6 * 39e6);
}

static void a_capacity_that_is_two_fails_its_checks(void) {
    const struct capacity found = searched(
        (struct side){.at_once = 20e6, .limit = 40e6, .falls_after = CAPACITY_ITERATIONS - CAPACITY_CHECKS - 2});
    CHECK_EQUAL(CAPACITY_CHECKS, found.failed);
    CHECK(capacity_before(&found) > 20e6);
}

static void nothing_is_above_what_an_iteration_has_room_for(void) {
    const struct capacity found = searched((struct side){.at_once = 600e6, .limit = 1e12});
    CHECK(capacity_before(&found) == 1e9);
}

int main(void) {
    it_is_the_highest_rate_that_is_borne_whatever_was_taken_at_once();
    a_stop_of_the_host_fails_a_rate_once();
    a_capacity_that_is_two_fails_its_checks();
    nothing_is_above_what_an_iteration_has_room_for();
    TEST_END();
}
