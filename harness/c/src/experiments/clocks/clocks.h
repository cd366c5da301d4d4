#pragma once

#include "experiment.h"

/* A clock and the two loops around it, compiled for it alone. */
struct clock_source {
    /* Reads `count` times and returns the last reading. Every reading is used, so none can be left out: `*sum` is that
     * of their distances from `before`. */
    int64_t (*batch)(int64_t count, int64_t before, int64_t *sum);
    /* Stores `count` (1 or more) readings and returns the last, from its register. */
    int64_t (*fill)(int64_t *readings, size_t count);
    clockid_t id; /* whose resolution the kernel tells, or NO_CLOCK */
    bool ticks;   /* it counts ticks of the processor; the others nanoseconds */
};

#define NO_CLOCK (-1) /* no clockid_t of the kernel */

/* The clocks, each a struct clock_source, and what has none: the idle thread, `across` and `sleeper`. */
extern const struct variant clock_variants[];

/*
 * Nanoseconds of one tick of the time-stamp counter, by comparison with CLOCK_MONOTONIC over 10 ms: both ends are known
 * to some 50 ns, the tick to 0.001 %. `*reason` becomes NULL, or says why the counter cannot be read here.
 */
double clock_tick_ns(const char **reason);

/* What has no source of its own: each in the file of its name. Run a whole trial, with checks and measures. */
int clock_across(const struct trial *trial, struct recorder *recorder);
int clock_idle(const struct trial *trial, struct recorder *recorder);
int clock_sleeper(const struct trial *trial, struct recorder *recorder);
