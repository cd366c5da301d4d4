#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * When the events of an iteration are due, made before it begins. The gaps between them are drawn once for a trial,
 * with a mean of 1, and scaled by the rate: all variants of a block see the same arrivals, and so does the Java
 * harness, number for number (lab.load.Arrivals).
 */

/* Gaps drawn; an iteration of more events goes round. */
enum { ARRIVALS_GAPS = 1 << 20 };

struct arrivals {
    double *gaps; /* with a mean of 1 */
};

/* Draws the gaps: exponential ones, so that arrivals are a Poisson process, or all alike. arrivals_free() frees
 * them. */
void arrivals_init(struct arrivals *arrivals, bool poisson, uint64_t seed);
void arrivals_free(struct arrivals *arrivals);

/* The gap before the first event of an iteration: one of its own for every iteration and for every one of
 * `producers`. */
int64_t arrivals_place(int iteration, int producer, int producers);

/*
 * Nanoseconds from the start at which the events of an iteration are due, at `rate` per second (more than 0) and before
 * `length_ns`; `group` of them at once (1: each for itself). Returns their number, of which `due` holds the first
 * `room` at most.
 */
int64_t arrivals_due(const struct arrivals *arrivals, int64_t place, double rate, int group, int64_t length_ns,
                     int64_t *due, int64_t room);
