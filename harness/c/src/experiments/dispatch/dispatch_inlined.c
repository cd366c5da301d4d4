#include "dispatch.h"

/* Apart from their caller, as the loops of dispatch_kernel.c are. */

static inline uint32_t map(uint32_t value) {
    return (value ^ UINT32_C(1013904223)) * UINT32_C(1664525);
}

uint32_t dispatch_inlined(UNUSED const struct operation *const *operations, uint32_t from) {
    uint32_t value = from;
    for (int i = 0; i < DISPATCH_BATCH; i++) {
        value = map(value);
    }
    return value;
}

/* Not vectorised (a test looks): a called body is not, and what is compared is the call. */
uint32_t dispatch_inlined_independent(UNUSED const struct operation *const *operations, uint32_t from) {
    uint32_t a = from, b = from + 1, c = from + 2, d = from + 3;
    uint32_t e = from + 4, f = from + 5, g = from + 6, h = from + 7;
    for (int i = 0; i < DISPATCH_BATCH; i += DISPATCH_CHAINS) {
        a = map(a);
        b = map(b);
        c = map(c);
        d = map(d);
        e = map(e);
        f = map(f);
        g = map(g);
        h = map(h);
    }
    return a + b + c + d + e + f + g + h;
}
