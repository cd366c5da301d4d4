#pragma once

#include "load/patience.h"
#include "load/receipts.h"
#include "load/sender.h"

/* A consumer's way in, where it takes events one by one. */

/* The next slot that holds an event; NULL: given up. Counts looks in vain. */
typedef struct event *load_take(void *shared, struct tally *tally, struct patience *patience);
/* Its event is copied. */
typedef void load_release(void *shared, struct event *slot);

/* The consumer's side of an iteration: it ends with the end marks of all producers. */
TEMPLATE void load_consume(struct load *load, struct worker *worker, struct receipts *r, int64_t most_ns, void *shared,
                           load_take *take, load_release *release, bool stamped, bool several) {
    struct patience patience = load_patient(load, worker, most_ns);
    const int64_t start = load_start(load, worker);
    struct tally t = r->tally;
    while (t.ends < load->producers) {
        struct event *slot = take(shared, &t, &patience);
        if (__builtin_expect(!slot, 0)) {
            load_abandon(load);
            break;
        }
        const struct event event = *slot;
        release(shared, slot);
        if (__builtin_expect(event.number >= 0, 1)) {
            load_receive(load, r, &t, &event, start, stamped, several);
        } else {
            load_ended(&t, &event);
        }
    }
    t.end_ns = clock_ns();
    r->tally = t;
}
