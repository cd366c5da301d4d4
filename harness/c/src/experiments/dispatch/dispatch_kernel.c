/*
 * The measured loops and their targets, apart from everything that knows which targets a trial uses: the pointers are
 * filled in by another translation unit at run time, and there is no link-time optimisation, so a compiler without a
 * profile can do nothing but call. With a profile it may test for the target it saw in training and inline that one.
 *
 * In dispatch_calls every call needs the result of the one before, so that a test or a predicted call can hide behind
 * the multiplication. In dispatch_independent calls map several values in turn, overlap, and cost the work they are.
 *
 * DISPATCH_BUILD names this compilation: see dispatch.h and the Makefile.
 */
#include "dispatch.h"

#ifndef DISPATCH_BUILD
#define DISPATCH_BUILD plain
#endif
#define JOIN(left, right) left##_##right
#define NAMED(left, build) JOIN(left, build)
#define OF_BUILD(name) NAMED(name, DISPATCH_BUILD)

#define TARGET(index, mask, multiplier)                                                                                \
    static uint32_t map##index(UNUSED const struct operation *self, uint32_t value) {                                  \
        return (value ^ UINT32_C(mask)) * UINT32_C(multiplier);                                                        \
    }
TARGET(0, 1013904223, 1664525)
TARGET(1, 907633385, 22695477)
TARGET(2, 1406932607, 1103515245)
TARGET(3, 1442695041, 134775813)
TARGET(4, 1531011433, 214013)
TARGET(5, 1284865837, 69069)
TARGET(6, 1282016301, 1140671485)
TARGET(7, 1891336453, 747796405)

const struct operation OF_BUILD(dispatch_targets)[DISPATCH_TARGETS] = {{map0}, {map1}, {map2}, {map3},
                                                                       {map4}, {map5}, {map6}, {map7}};

uint32_t OF_BUILD(dispatch_calls)(const struct operation *const *operations, uint32_t from) {
    uint32_t value = from;
    for (int i = 0; i < DISPATCH_BATCH; i++) {
        value = operations[i]->map(operations[i], value);
    }
    return value;
}

uint32_t OF_BUILD(dispatch_independent)(const struct operation *const *operations, uint32_t from) {
    uint32_t a = from, b = from + 1, c = from + 2, d = from + 3;
    uint32_t e = from + 4, f = from + 5, g = from + 6, h = from + 7;
    for (int i = 0; i < DISPATCH_BATCH; i += DISPATCH_CHAINS) {
        a = operations[i]->map(operations[i], a);
        b = operations[i + 1]->map(operations[i + 1], b);
        c = operations[i + 2]->map(operations[i + 2], c);
        d = operations[i + 3]->map(operations[i + 3], d);
        e = operations[i + 4]->map(operations[i + 4], e);
        f = operations[i + 5]->map(operations[i + 5], f);
        g = operations[i + 6]->map(operations[i + 6], g);
        h = operations[i + 7]->map(operations[i + 7], h);
    }
    return a + b + c + d + e + f + g + h;
}
