#pragma once

/* Hand-overs that skip a number or get lost: of inter_thread_latency.c, whose checks have to notice. */

enum { BROKEN_EVERY = 10 };

static inline void pass_skipping(struct handover *h, int side, int64_t number) {
    pass_release_acquire(h, side, number + (number % BROKEN_EVERY == 0));
}

static inline void pass_losing(struct handover *h, int side, int64_t number) {
    if (number % BROKEN_EVERY) {
        pass_release_acquire(h, side, number);
    }
}
KERNEL(skipping)
KERNEL(losing)
