#include "dispatch.h"

void dispatch_mix(const struct operation *targets, int classes, const struct operation **mix,
                  uint8_t *target) {
    for (int i = 0; i < DISPATCH_OPERATIONS; i++) {
        target[i] = (uint8_t)(i % classes);
    }
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = DISPATCH_OPERATIONS - 1; i > 0; i--) { /* Fisher-Yates with xorshift64 */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        int other = (int)(state % (uint64_t)(i + 1));
        uint8_t kept = target[i];
        target[i] = target[other];
        target[other] = kept;
    }
    for (int i = 0; i < DISPATCH_OPERATIONS; i++) {
        mix[i] = &targets[target[i]];
    }
}
