#ifndef LAB_LOAD_RECEIPTS_H
#define LAB_LOAD_RECEIPTS_H

#include "clock.h"
#include "load/loading.h"
#include "load/samples.h"
#include "load/sender.h"
#include "work.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOAD_MOST_PRODUCERS = 16, LOAD_SIZES = 32 };

/* What a consumer keeps of an iteration. */
struct tally {
    int64_t handled, faults, numbers, content, announced, ends;
    int64_t previous; /* when the first of a pair was done */
    int64_t latest;   /* due time of the last event */
    int64_t failed_polls, idle_looks;
    int64_t batches, batch_events; /* all */
    int64_t sizes[LOAD_SIZES];     /* batches by the power of two that their size reaches */
    int64_t timed, timed_events;   /* every LOAD_BATCH_EVERY-th */
    double batch_ns, batch_n2, batch_n_ns;
    int64_t end_ns; /* CLOCK_MONOTONIC */
    int64_t expected[LOAD_MOST_PRODUCERS];
};

/* The series of durations that a consumer samples. */
enum { LOAD_INTENDED, LOAD_SENT, LOAD_BUSY, LOAD_IDLE, LOAD_FULL, LOAD_SERIES };

/* A consumer. */
struct receipts {
    _Alignas(LAB_LINE) int64_t handled; /* in this iteration so far, read by the generator */
    _Alignas(LAB_LINE) struct tally tally;
    /* Written for sampled events only. */
    struct samples series[LOAD_SERIES];
    struct moments busy, idle, cut; /* of service times; cut: the long ones, which are the host's */
    int64_t backward;
    int64_t in_time, in_time_ns; /* handled until the producers' limit, as far as samples tell */
    struct work work;
};

/* Before an iteration of which at most `room` events are sampled: none is handled yet. */
void receipts_prepare(const struct load *load, struct receipts *r, int64_t room);

/* Events per second while the producers were sending: that is the capacity, not what was left to
 * take when they had ended. Over all of the iteration where no sample tells. */
double receipts_rate(const struct load *load);

/* A sampled event is done: when. Where every event is sampled, it is the first of the next pair. */
int64_t load_sample(struct load *load, struct receipts *r, const struct event *event,
                    int64_t previous, int64_t handled, int64_t start);
void load_sample_full(struct receipts *r, int64_t sojourn);

/*
 * What a consumer does with an event: the known work, the check of its number and content, and for
 * every sampled pair the clock. The first of a pair tells when the consumer was free for the
 * second, which is all that its service time needs (Lindley): c(i) - max(c(i-1), sent(i)).
 */
static inline __attribute__((always_inline)) void
load_receive(struct load *load, struct receipts *r, struct tally *t, const struct event *event,
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

#endif
