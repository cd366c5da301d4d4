#include "load/arrivals.h"
#include "allocate.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

/* A prime: iterations begin at places of their own. */
enum { PLACES_APART = 7919 };

void arrivals_init(struct arrivals *arrivals, bool poisson, uint64_t seed) {
    arrivals->gaps = allocate(ARRIVALS_GAPS, sizeof *arrivals->gaps);
    for (int k = 0; k < ARRIVALS_GAPS; k++) {
        const double uniform = (double)(random_next(&seed) >> 11) * 0x1p-53;
        arrivals->gaps[k] = poisson ? -log(1 - uniform) : 1;
    }
}

void arrivals_free(struct arrivals *arrivals) {
    free(arrivals->gaps);
}

int64_t arrivals_place(int iteration, int producer, int producers) {
    return ((int64_t)iteration * PLACES_APART + (int64_t)producer * (ARRIVALS_GAPS / producers)) % ARRIVALS_GAPS;
}

int64_t arrivals_due(const struct arrivals *arrivals, int64_t place, double rate, int group, int64_t length_ns,
                     int64_t *due, int64_t room) {
    const double scale = 1e9 / rate * group;
    double sum = 0;
    for (int64_t count = 0;; count += group) {
        sum += arrivals->gaps[place++ & (ARRIVALS_GAPS - 1)];
        const double at = sum * scale;
        if (!(at < (double)length_ns)) {
            return count;
        }
        for (int i = 0; i < group && count + i < room; i++) {
            due[count + i] = (int64_t)at;
        }
    }
}
