#pragma once

#include "args.h"

#include <stdbool.h>
#include <stdint.h>

/* What the iterations of a trial are for. */

/* Iterations of one kind, one after the other. An array of them ends with a NULL name. */
struct phase {
    const char *name; /* a literal: rows carry it */
    int iterations;
    int64_t iteration_ns; /* length of one of them */
};

/* The first phase of a workload without phases of its own: "warmup", then "measured". The array of them is this
 * process's only one, so that what lengthens a phase is known to iteration_phase(). */
struct phase *phases_usual(const struct trial *trial);

/* "warmup" or "measured", of a workload without phases of its own. */
const char *iteration_phase(const struct trial *trial, int iteration);

/* The phase that an iteration belongs to: iterations are counted through all of them, from 0. NULL after the last. */
const struct phase *phase_of(const struct phase *phases, int iteration);

/* The same, to be lengthened; never NULL before the end. */
struct phase *phase_at(struct phase *phases, int iteration);

/* Whether its iterations are a warm-up: "warmup", or another that an experiment has besides. */
bool phase_warmup(const struct phase *phase);
