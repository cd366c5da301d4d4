#pragma once

#include "clock.h"
#include "load/sender.h"
#include "load/state.h"
#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* Before an iteration of which at most `room` events are sampled: none is handled yet. */
void receipts_prepare(const struct load *load, struct receipts *r, int64_t room);

/* Events per second while the producers were sending: that is the capacity, not what was left to take when they had
 * ended. Over all of the iteration where no sample tells. */
double receipts_rate(const struct load *load);

/* A sampled event is done: when. Where every event is sampled, it is the first of the next pair. */
int64_t load_sample(struct load *load, struct receipts *r, const struct event *event, int64_t previous, int64_t handled,
                    int64_t start);
void load_sample_full(struct receipts *r, int64_t sojourn);

/*
 * What a consumer does with an event: the known work, the check of its number and content, and for every sampled pair
 * the clock. The first of a pair tells when the consumer was free for the second. That and when it was sent is all that
 * its service time needs (services.h).
 */
TEMPLATE void load_receive(struct load *load, struct receipts *r, struct tally *t, const struct event *event,
                           int64_t start, bool stamped, bool several) {
    const int64_t number = event->number;
    if (load->works) {
        work_do(&r->work, (uint64_t)number);
    }
    const int producer = several ? (int)(number >> LOAD_PRODUCER_SHIFT) : 0;
    const int64_t index = number & LOAD_INDEX;
    t->faults += load->in_order ? index != t->expected[producer] : index < t->expected[producer];
    t->expected[producer] = index + 1;
    t->numbers += index;
    if (stamped) {
        t->content ^= event->due;
        t->latest = event->due;
        const int64_t place = index & load->mask;
        if (place == 0) {
            t->previous = load_sample(load, r, event, t->previous, t->handled + 1, start);
        } else if (place == load->mask) {
            t->previous = clock_ns() - start;
        }
    } else if ((index & (LOAD_UNSTAMPED_EVERY - 1)) == 0) {
        load_sample_full(r, clock_ns() - start - event->sent);
    }
    __atomic_store_n(&r->handled, ++t->handled, __ATOMIC_RELEASE);
}

/* An end mark. */
static inline void load_ended(struct tally *t, const struct event *event) {
    t->announced += event->due;
    t->ends++;
}
