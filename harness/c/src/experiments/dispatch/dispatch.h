#ifndef LAB_DISPATCH_H
#define LAB_DISPATCH_H

#include <stdint.h>

/*
 * An operation as C programs write an interface: a pointer to a function that gets the object it
 * was found in. Each target maps v to v * multiplier + constant modulo 2^64 with an odd multiplier,
 * which is a permutation: whatever the mix, values never collapse into a fixed point and the next
 * call always needs the result of the one before.
 */
struct operation {
    uint64_t (*map)(const struct operation *self, uint64_t value);
};

enum {
    DISPATCH_TARGETS = 8,
    DISPATCH_OPERATIONS = 4096, /* length of the mix that the kernel walks through */
    DISPATCH_BATCH = 1024,      /* calls between two clock reads; divides the above */
};

/*
 * dispatch_kernel.c is compiled three times, each time with names of its own: plain; and with the
 * profile of a training run on 1 and on 4 targets. A kernel has its own copies of the targets,
 * because a compiler can only inline what is in the same translation unit.
 */
#define DISPATCH_DECLARE(build)                                                                    \
    extern const struct operation dispatch_targets_##build[DISPATCH_TARGETS];                      \
    uint64_t dispatch_calls_##build(const struct operation *const *operations, int count,          \
                                    uint64_t value);

DISPATCH_DECLARE(plain)
DISPATCH_DECLARE(pgo1)
DISPATCH_DECLARE(pgo4)

/* The same loop by hand: the body of the first target in it and no call. */
uint64_t dispatch_inlined(int count, uint64_t value);

/* Fills `mix` with pointers to the first `classes` targets: equal shares (to one), shuffled with a
 * fixed seed, the same in every trial. `target[i]` is the index of mix[i]. */
void dispatch_mix(const struct operation *targets, int classes, const struct operation **mix,
                  uint8_t *target);

#endif
