#pragma once

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds: the clock of System.nanoTime() on Linux, so that trials of both harnesses, JVM logs
 * and the pipeline share one time line. */
static inline int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The same of any clock of the kernel's, inlined where it is a constant. */
static inline __attribute__((always_inline)) int64_t clock_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One instant on both clocks. */
struct clock_pair {
    int64_t monotonic_ns;
    int64_t epoch_ms;
};

/* Reads both clocks as close together as the host allows: the tightest of a few attempts. */
struct clock_pair clock_pair_read(void);

/* Median difference of back-to-back reads, in nanoseconds: what one timestamp costs. Every duration in a histogram
 * contains about one of these. */
double clock_read_cost(void);
