#pragma once

#include "allocate.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Work of a known length: pairs of dependent adds, which make Fibonacci numbers. Every add needs the one before, so a
 * step takes two core cycles whatever the core could do side by side, nothing of it touches memory that others write,
 * and the last number is known in advance from the number of steps: work left out would be seen.
 */

/* Pieces of work drawn beforehand. A prime, so that timing one operation in a power of two visits all of them; 4 KiB,
 * so that they stay in the first-level cache. */
enum { WORK_DRAWS = 1021 };

/* Of one thread. */
struct work {
    _Alignas(LAB_LINE) uint64_t a; /* F(2 steps) modulo 2^64 */
    uint64_t b;                    /* the number after it */
    uint64_t steps;                /* done so far */
    int64_t timed_ns;              /* of the pieces that the user times, and of what is timed */
    int64_t beside_ns;             /* beside them: the user's own, nobody else reads them */
    int at;                        /* the next piece */
    uint32_t draws[WORK_DRAWS];    /* steps of each piece */
};

/* One piece. `after` is what was read before it, less than 2^63: that adds nothing, but it keeps the core from starting
 * on the adds while it still waits for that word. */
static inline void work_do(struct work *mine, uint64_t after) {
    uint64_t a = mine->a + (after >> 63);
    uint64_t b = mine->b;
    const uint32_t steps = mine->draws[mine->at];
    mine->at = mine->at + 1 == WORK_DRAWS ? 0 : mine->at + 1;
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
double work_step_ns(void);

/* Makes `mine` begin with F(0), and draws pieces of `mean_steps` on the average: all alike, or the quantiles of an
 * exponential distribution in an order fixed by `seed`. */
void work_init(struct work *mine, double mean_steps, bool exponential, uint64_t seed);

/* The mean of the pieces in nanoseconds, timed on this core, now. Does work that counts as done. */
double work_mean_ns(struct work *mine);

/* What mine->a must be by now. */
uint64_t work_expected(const struct work *mine);
