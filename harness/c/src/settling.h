#pragma once

#include "phases.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What comes of an iteration in which another part of the trial has compiled something, as the contract says: a warm-up
 * goes on until nothing was compiled for SETTLING_QUIET_NS of its iterations, and an iteration after it is made again.
 * A program in C compiles nothing, so alone it has the iterations it was asked for; beside one that does it has as many
 * as that one.
 */
enum { SETTLING_QUIET_NS = 50000000, SETTLING_MOST_NS = 250000000 };

struct settling {
    struct phase *phases;
    int64_t quiet_ns; /* of the last iterations of warm-up, without a compilation */
    int64_t added_ns; /* to all warm-ups */
    int most_again, again;
};

/* Of the iterations that `phases` still has; they must outlast `settling`. */
void settling_init(struct settling *settling, struct phase *phases);

/* An iteration has ended, in which something was compiled or not: may lengthen its phase. Whether the iteration is to
 * be told apart, for another is made in its place. */
bool settling_ended(struct settling *settling, int iteration, bool compiled);
