/*
 * Trains one build of dispatch_kernel.c, which was compiled with -fprofile-generate: as many calls
 * as a short trial makes, on a mix of DISPATCH_CLASSES targets. Its profile is written at exit.
 */
#include "../dispatch.h"

#define JOIN(left, right) left##_##right
#define NAMED(left, build) JOIN(left, build)

int main(void) {
    static const struct operation *mix[DISPATCH_OPERATIONS];
    static uint8_t target[DISPATCH_OPERATIONS];
    dispatch_mix(NAMED(dispatch_targets, DISPATCH_BUILD), DISPATCH_CLASSES, mix, target);
    uint64_t value = 1;
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < DISPATCH_OPERATIONS; i += DISPATCH_BATCH) {
            value = NAMED(dispatch_calls, DISPATCH_BUILD)(mix + i, DISPATCH_BATCH, value);
        }
    }
    return value == 0; /* uses the value; never true for these targets */
}
