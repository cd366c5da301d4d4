#ifndef LAB_OUTSIDE_H
#define LAB_OUTSIDE_H

#include "allocate.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Work between a release and the next acquire: pairs of dependent adds, which make Fibonacci
 * numbers. Every add needs the one before, so a step takes two core cycles whatever the core could
 * do side by side, nothing of it touches memory that others write, and the last number is known in
 * advance from the number of steps: work left out would be seen.
 */

/* Pieces of work drawn beforehand. A prime, so that timing one operation in a power of two visits
 * all of them; 4 KiB, so that they stay in the first-level cache. */
enum { OUTSIDE_DRAWS = 1021 };

/* Of one thread. */
struct outside {
    _Alignas(LAB_LINE) uint64_t a; /* F(2 steps) modulo 2^64 */
    uint64_t b;                    /* the number after it */
    uint64_t steps;                /* done so far */
    int64_t timed_ns;              /* of the timed pieces of this iteration, clock to clock */
    int64_t lock_ns;               /* of the operations after them */
    int at;                        /* the next piece */
    uint32_t draws[OUTSIDE_DRAWS]; /* steps of each piece */
};

/* One piece. `count` is what the critical section before it read, less than 2^63: that adds
 * nothing, but it keeps the core from starting on the adds while it still waits for the lock. */
static inline void outside_work(struct outside *mine, uint64_t count) {
    uint64_t a = mine->a + (count >> 63);
    uint64_t b = mine->b;
    const uint32_t steps = mine->draws[mine->at];
    mine->at = mine->at + 1 == OUTSIDE_DRAWS ? 0 : mine->at + 1;
    for (uint32_t k = steps; k > 0; k--) {
        a += b;
        __asm__ volatile("" : "+r"(a)); /* not (a + b) + b as a + 2 b, which is one add shorter */
        b += a;
        __asm__ volatile("" : "+r"(b));
    }
    mine->a = a;
    mine->b = b;
    mine->steps += steps;
}

/* Nanoseconds of a step on this core, now: the least of many batches. */
double outside_step_ns(void);

/* Makes `mine` begin with F(0), and draws pieces of `mean_steps` on the average: all alike, or the
 * quantiles of an exponential distribution in an order fixed by `seed`. */
void outside_init(struct outside *mine, double mean_steps, bool exponential, uint64_t seed);

/* What mine->a must be by now. */
uint64_t outside_expected(const struct outside *mine);

#endif
