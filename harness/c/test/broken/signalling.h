#pragma once

/* Signals that get lost: of signalling_latency.c, whose checks have to notice. */

/* Pong alone: a ping that skips lets pong answer the next number before it is passed, and where the iteration ends with
 * that one, pong has looked for the last too early and waits for good. */
static inline void pass_skipping(struct handover *h, int side, int64_t number) {
    pass_inside(h, side, number + (side == PONG && number == 3));
}
KERNEL(skipping, pass_skipping, await_condition)

/* Never passes the third number. */
static inline void pass_losing(struct handover *h, int side, int64_t number) {
    if (number != 3) {
        pass_inside(h, side, number);
    }
}
KERNEL(losing, pass_losing, await_condition)
