#pragma once

#include "cpu.h"

#include <stdint.h>

/*
 * An operation as C programs write an interface: a pointer to a function that gets the object it was found in. Target k
 * maps v to (v ^ mask k) * multiplier k in 32 bits, as class k of the Java twin does: one to one, so that values never
 * collapse into a fixed point, and with no way to fold two steps into one.
 */
struct operation {
    uint32_t (*map)(const struct operation *self, uint32_t value);
};

/* Whose targets are called in which order. `ids` is that of the targets. */
struct dispatch_mix {
    const struct operation **operations; /* DISPATCH_LENGTH */
    uint8_t *ids;
};

enum {
    DISPATCH_TARGETS = 8,
    DISPATCH_LENGTH = 1 << 18, /* of the cycle of calls, and of the longest pattern in it */
    DISPATCH_SHORTEST = 64,    /* pattern: every chain's call site still meets several targets */
    DISPATCH_BATCH = 1024,     /* calls between two clock reads; divides the cycle */
    DISPATCH_CHAINS = 8,       /* of the kernels whose calls are independent */
};

/* A batch of calls, of one chain or of several (see dispatch_kernel.c); returns the sum of the chains' last values. */
typedef uint32_t dispatch_batch(const struct operation *const *operations, uint32_t from);

/*
 * dispatch_kernel.c is compiled three times, each time with names of its own: plain; and with the profile of a training
 * run on 1 and on 4 targets. A kernel has its own copies of the targets, because a compiler can only inline what is in
 * the same translation unit.
 */
#define DISPATCH_DECLARE(build)                                                                                        \
    extern const struct operation dispatch_targets_##build[DISPATCH_TARGETS];                                          \
    dispatch_batch dispatch_calls_##build, dispatch_independent_##build;

DISPATCH_DECLARE(plain)
DISPATCH_DECLARE(pgo1)
DISPATCH_DECLARE(pgo4)

/* The same loops by hand: the body of the first target in them and no call. */
dispatch_batch dispatch_inlined, dispatch_inlined_independent;

/*
 * Fills the cycle with a pattern of `period` calls (a power of two), repeated. Within the pattern the first `classes`
 * targets come equally often (to one), shuffled with a fixed seed, the same in every trial. A branch predictor learns a
 * short pattern by heart and little of a long one, while the same pointers are read from the same memory whatever the
 * period: a difference between two periods is one of prediction alone.
 */
void dispatch_mix(const struct operation *targets, int classes, int period, const struct dispatch_mix *mix);
