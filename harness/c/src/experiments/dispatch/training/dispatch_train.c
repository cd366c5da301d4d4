/*
 * Trains one build of dispatch_kernel.c, which was compiled with -fprofile-generate: as many calls as a short trial
 * makes, on a mix of DISPATCH_CLASSES targets. Its profile is written at exit.
 */
#include "../dispatch.h"

#define JOIN(left, right) left##_##right
#define NAMED(left, build) JOIN(left, build)

int main(void) {
    static const struct operation *operations[DISPATCH_LENGTH];
    static uint8_t ids[DISPATCH_LENGTH];
    const struct dispatch_mix mix = {operations, ids};
    dispatch_mix(NAMED(dispatch_targets, DISPATCH_BUILD), DISPATCH_CLASSES, DISPATCH_LENGTH, &mix);
    uint32_t sum = 0;
    for (int round = 0; round < 16; round++) {
        for (uint32_t i = 0; i < DISPATCH_LENGTH; i += DISPATCH_BATCH) {
            sum += NAMED(dispatch_calls, DISPATCH_BUILD)(operations + i, i);
            sum += NAMED(dispatch_independent, DISPATCH_BUILD)(operations + i, i);
        }
    }
    volatile uint32_t used = sum;
    (void)used;
    return 0;
}
