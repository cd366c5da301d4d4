/*
 * The measured loop and its targets, apart from everything that knows which targets a trial uses:
 * the pointers are filled in by another translation unit at run time, and there is no link-time
 * optimisation, so a compiler without a profile can do nothing but call. With a profile it may test
 * for the target it saw in training and inline that one.
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

#define TARGET(index, multiplier, constant)                                                        \
    static uint64_t map##index(const struct operation *self, uint64_t value) {                     \
        (void)self;                                                                                \
        return value * UINT64_C(multiplier) + constant;                                            \
    }
TARGET(0, 6364136223846793005, 7)
TARGET(1, 3202034522624059733, 3)
TARGET(2, 2862933555777941757, 1)
TARGET(3, 1181783497276652981, 9)
TARGET(4, 7664345821815920749, 5)
TARGET(5, 2685821657736338717, 11)
TARGET(6, 4685838187257060685, 13)
TARGET(7, 5495347845340153373, 15)

const struct operation OF_BUILD(dispatch_targets)[DISPATCH_TARGETS] = {
    {map0}, {map1}, {map2}, {map3}, {map4}, {map5}, {map6}, {map7}};

uint64_t OF_BUILD(dispatch_calls)(const struct operation *const *operations, int count,
                                  uint64_t value) {
    for (int i = 0; i < count; i++) {
        value = operations[i]->map(operations[i], value);
    }
    return value;
}
