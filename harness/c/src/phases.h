#ifndef LAB_PHASES_H
#define LAB_PHASES_H

#include "args.h"

#include <stdint.h>

/* What the iterations of a trial are for. */

/* Iterations of one kind, one after the other. An array of them ends with a NULL name. */
struct phase {
    const char *name; /* a literal: rows carry it */
    int iterations;
    int64_t iteration_ns; /* length of one of them */
};

/* "warmup" or "measured", of a workload without phases of its own. */
const char *iteration_phase(const struct trial *trial, int iteration);

/* The phase that an iteration belongs to: iterations are counted through all of them, from 0. NULL
 * after the last. */
const struct phase *phase_of(const struct phase *phases, int iteration);

#endif
