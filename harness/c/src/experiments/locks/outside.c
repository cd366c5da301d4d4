#include "outside.h"
#include "clock.h"

#include <math.h>
#include <stdlib.h>

double outside_step_ns(void) {
    enum { STEPS = 20000, BATCHES = 60 };
    struct outside *probe = allocate(1, sizeof *probe);
    outside_init(probe, STEPS, false, 0);
    int64_t least = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        int64_t before = clock_ns();
        outside_work(probe, 0);
        int64_t took = clock_ns() - before;
        least = took < least ? took : least;
    }
    free(probe);
    return (double)least / STEPS;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The k-th quantile of an exponential distribution whose mean over all k is 1. */
static double quantile(int k) {
    /* The quantiles at (k + 1/2) / n alone fall short of the mean: the tail beyond them is cut off.
     */
    static double mean;
    if (mean == 0) {
        for (int i = 0; i < OUTSIDE_DRAWS; i++) {
            mean -= log(1 - (i + 0.5) / OUTSIDE_DRAWS) / OUTSIDE_DRAWS;
        }
    }
    return -log(1 - (k + 0.5) / OUTSIDE_DRAWS) / mean;
}

void outside_init(struct outside *mine, double mean_steps, bool exponential, uint64_t seed) {
    *mine = (struct outside){.b = 1};
    for (int k = 0; k < OUTSIDE_DRAWS; k++) {
        mine->draws[k] = (uint32_t)lround(mean_steps * (exponential ? quantile(k) : 1));
    }
    for (int k = OUTSIDE_DRAWS - 1; k > 0; k--) {
        int other = (int)(next_random(&seed) % (uint64_t)(k + 1));
        uint32_t draw = mine->draws[k];
        mine->draws[k] = mine->draws[other];
        mine->draws[other] = draw;
    }
}

uint64_t outside_expected(const struct outside *mine) {
    /* Fast doubling: from F(n), F(n + 1) to F(2 n), F(2 n + 1), a bit of the index at a time. */
    uint64_t n = 0;
    uint64_t next = 1;
    for (int bit = 63; bit >= -1; bit--) { /* bit -1: the index is 2 * steps */
        uint64_t doubled = n * (2 * next - n);
        next = n * n + next * next;
        n = doubled;
        if (bit >= 0 && mine->steps >> bit & 1) {
            uint64_t sum = n + next;
            n = next;
            next = sum;
        }
    }
    return n;
}
