#pragma once

#include "load/arrivals.h"
#include "load/state.h"

#include <stdbool.h>
#include <stdint.h>

/* When a producer sends its events in an iteration, made before it. */

enum {
    LOAD_MOST_EVENTS = 1 << 23, /* of an iteration with a schedule */
    LOAD_SATURATED_EVENTS = 1 << 21,
    LOAD_BURST = 64,
    LOAD_SETTLE_NS = 1000000, /* what is due before is not sampled, nor is the first tenth */
};

/* Whether an iteration may have as many events as `rate` per second, of all producers, makes; and fail()s where it may
 * not. */
bool schedule_fits(double rate, int64_t length_ns);
int schedule_refuse(double rate, int64_t length_ns);

/* As many as are taken within `length_ns`. `stamped`: they are all due at the start. */
void schedule_saturated(struct source *source, bool stamped, int64_t length_ns);

/* Nothing is due. */
void schedule_empty(struct source *source);

/* At `rate` per second (more than 0) from that place of the arrivals on, `group` of them at once. */
void schedule_paced(struct source *source, const struct arrivals *arrivals, int64_t place, double rate, int group,
                    int64_t length_ns);

/* Events that an iteration of `length_ns` may have: without a schedule, one in every nanosecond. */
int64_t schedule_most(const struct source *source, int64_t length_ns);

/* Exclusive or of the due times of what was sent. */
int64_t schedule_content(const struct source *source);
