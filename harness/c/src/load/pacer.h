#pragma once

#include "clock.h"
#include "load/patience.h"
#include "load/samples.h"
#include "load/sender.h"
#include "load/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Before an iteration whose schedule is made: nothing is sent yet. `room`: of its samples. */
void source_prepare(struct source *source, int64_t room);

typedef int64_t load_clock(void);

/*
 * Reads how many events are on their way, of which this producer has sent so many at `now`, and says when to do so
 * again: about every 20 us, never in step with anything. What the others count comes with a line of theirs, and while
 * it comes nothing is sent: what falls due meanwhile would be on its way, and counts, for a look must not keep away
 * what it looks for. Cold: nothing of it may be held in registers while the loop waits.
 */
__attribute__((cold)) void load_look(const struct load *load, struct source *source, int64_t sent, int64_t now,
                                     load_clock *clock, int64_t start);

/* The first `count` events are away, or those until the limit. Returns how many. */
TEMPLATE int64_t load_send(struct load *load, struct source *source, struct patience *patience, void *shared,
                           load_claim *claim, load_publish *publish, load_flush *flush, load_clock *clock,
                           int64_t start, bool stamped, bool several) {
    const int64_t *const due = source->due;
    const int64_t mask = stamped ? load->mask : LOAD_UNSTAMPED_EVERY - 1;
    const int64_t tag = (int64_t)source->index << LOAD_PRODUCER_SHIFT;
    const int64_t count = source->count;
    const int64_t limit = source->limit_ns;
    int64_t i = 0;
    int64_t now = clock() - start;
    bool fresh = true;
    while (i < count) {
        if (!stamped || due[i] <= now) {
            do {
                if ((i & mask) == 0) {
                    now = fresh ? now : clock() - start;
                    if (now >= source->look_ns) {
                        load_look(load, source, i, now, clock, start);
                    }
                    if (now >= limit && i > 0) { /* some are sent, however late it is */
                        return i;
                    }
                    if (stamped && i >= source->settled) {
                        samples_add(&source->late, now - due[i]);
                    }
                }
                struct event *slot = claim(shared, source, patience);
                if (__builtin_expect(!slot, 0)) {
                    return i;
                }
                slot->number = tag | i;
                if (stamped) {
                    slot->due = due[i];
                    slot->sent = now;
                } else if ((i & mask) == 0) {
                    slot->sent = now;
                }
                publish(shared, source, slot);
                i++;
                fresh = false;
                if (several) {
                    __atomic_store_n(&source->progress, i, __ATOMIC_RELAXED);
                }
            } while (i < count && (!stamped || due[i] <= now));
            flush(shared, source);
        } else if (patience->oversubscribed) {
            sched_yield();
        }
        now = clock() - start;
        fresh = true;
        if (now >= source->look_ns) {
            load_look(load, source, i, now, clock, start);
            if (load_abandoned(load)) {
                return i;
            }
        }
    }
    return i;
}

/*
 * The producer's side of an iteration: spins to an absolute schedule. One reading of the clock serves all that is due,
 * but a sampled event gets a fresh one, unless the last step was one. There is no pause in the loop: reading the clock
 * is one, and on some processors the instruction would blur arrivals by 50 ns.
 */
TEMPLATE void load_pace(struct load *load, struct worker *worker, struct source *source, int64_t most_ns, void *shared,
                        load_claim *claim, load_publish *publish, load_flush *flush, bool marks, bool stamped,
                        bool several) {
    struct patience patience = load_patient(load, worker, most_ns);
    const int64_t start = load_start(load, worker);
    __atomic_store_n(&load->start_ns, start, __ATOMIC_RELAXED); /* the same by all */
    while (clock_ns() < start) {
        if (worker->oversubscribed) {
            sched_yield();
        }
    }
    source->sent = load_send(load, source, &patience, shared, claim, publish, flush, clock_ns, start, stamped, several);
    if (marks) {
        struct event *slot = claim(shared, source, &patience);
        if (slot) {
            slot->number = LOAD_END;
            slot->due = source->sent;
            publish(shared, source, slot);
            flush(shared, source);
        }
    }
    source->end_ns = clock_ns();
}
