#pragma once

#include "cpu.h"

#include <stdint.h>

/* A producer's way out: an event, and what an experiment makes of handing it over. */

struct patience;
struct source;

enum {
    LOAD_PRODUCER_SHIFT = 40,   /* the part of an event's number that says whose it is */
    LOAD_UNSTAMPED_EVERY = 1024 /* where events carry no times, one in so many does all the same */
};

/* The other part: which of its producer's events in this iteration it is, from 0. */
#define LOAD_INDEX ((INT64_C(1) << LOAD_PRODUCER_SHIFT) - 1)

/* The number of what follows the last event of a producer; its due time is how many they were. */
#define LOAD_END (-1)

/* Times are nanoseconds from the start of the iteration. The last word makes a slot of a ring half a cache line: no
 * event is spread over two. */
struct event {
    int64_t number, due, sent;
    int64_t state; /* of the slot, where a ring keeps one */
};

/* The slot for the next event once there is room; NULL: given up. */
typedef struct event *load_claim(void *shared, struct source *source, struct patience *patience);
/* Its event is written. */
typedef void load_publish(void *shared, struct source *source, struct event *slot);
/* Nothing follows for a while. */
typedef void load_flush(void *shared, struct source *source);

/* For what is published event by event. */
static inline void flush_nothing(UNUSED void *shared, UNUSED struct source *source) {
}
