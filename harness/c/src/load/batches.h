#pragma once

#include "clock.h"
#include "load/state.h"

#include <stdint.h>

/* How large the batches of a consumer that takes all there is are, and how long an event of them takes: sums, for a
 * line through duration against size, and counts by powers of two. */

enum { LOAD_BATCH_EVERY = 16 /* batches per timed one */ };

/* It has handled `events` since `began` (0: not timed). */
static inline void load_batch(struct tally *t, int64_t events, int64_t began) {
    if (events <= 0) {
        return;
    }
    t->sizes[63 - __builtin_clzll((unsigned long long)events)]++;
    t->batches++;
    t->batch_events += events;
    if (began) {
        const double took = (double)(clock_ns() - began);
        const double size = (double)events;
        t->timed++;
        t->timed_events += events;
        t->batch_ns += took;
        t->batch_n2 += size * size;
        t->batch_n_ns += size * took;
    }
}
