#include "dispatch.h"

void dispatch_mix(const struct operation *targets, int classes, int period, const struct dispatch_mix *mix) {
    uint8_t *const ids = mix->ids;
    for (int i = 0; i < period; i++) {
        ids[i] = (uint8_t)(i % classes);
    }
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = period - 1; i > 0; i--) { /* Fisher-Yates with xorshift64 */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        int other = (int)(state % (uint64_t)(i + 1));
        uint8_t kept = ids[i];
        ids[i] = ids[other];
        ids[other] = kept;
    }
    for (int i = period; i < DISPATCH_LENGTH; i++) {
        ids[i] = ids[i - period];
    }
    for (int i = 0; i < DISPATCH_LENGTH; i++) {
        mix->operations[i] = &targets[ids[i]];
    }
}
