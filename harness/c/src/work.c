#include "work.h"
#include "clock.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

double work_step_ns(void) {
    enum { STEPS = 20000, BATCHES = 60 };
    struct work *probe = allocate(1, sizeof *probe);
    work_init(probe, STEPS, false, 0);
    int64_t least = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        int64_t before = clock_ns();
        work_do(probe, 0);
        int64_t took = clock_ns() - before;
        least = took < least ? took : least;
    }
    free(probe);
    return (double)least / STEPS;
}

/* The k-th quantile of an exponential distribution whose mean over all k is 1. */
static double quantile(int k) {
    /* The quantiles at (k + 1/2) / n alone fall short of the mean: the tail beyond them is cut off. */
    static double mean;
    if (mean == 0) {
        for (int i = 0; i < WORK_DRAWS; i++) {
            mean -= log(1 - (i + 0.5) / WORK_DRAWS) / WORK_DRAWS;
        }
    }
    return -log(1 - (k + 0.5) / WORK_DRAWS) / mean;
}

void work_init(struct work *mine, double mean_steps, bool exponential, uint64_t seed) {
    *mine = (struct work){.b = 1};
    for (int k = 0; k < WORK_DRAWS; k++) {
        mine->draws[k] = (uint32_t)lround(mean_steps * (exponential ? quantile(k) : 1));
    }
    for (int k = WORK_DRAWS - 1; k > 0; k--) {
        int other = (int)(random_next(&seed) % (uint64_t)(k + 1));
        uint32_t draw = mine->draws[k];
        mine->draws[k] = mine->draws[other];
        mine->draws[other] = draw;
    }
}

double work_mean_ns(struct work *mine) {
    enum { LONGEST_NS = 20000000 };
    uint64_t drawn = 0;
    for (int k = 0; k < WORK_DRAWS; k++) {
        drawn += mine->draws[k];
    }
    /* Each piece once, or as many as there is time for, whose steps then stand for those of all. */
    const uint64_t before = mine->steps;
    const int64_t start = clock_ns();
    int64_t took = 0;
    for (int k = 0; k < WORK_DRAWS && took < LONGEST_NS; k++) {
        work_do(mine, 0);
        if (k % 16 == 15 || mine->draws[0] > 10000) {
            took = clock_ns() - start;
        }
    }
    took = clock_ns() - start;
    const uint64_t done = mine->steps - before;
    return done ? (double)took / (double)done * (double)drawn / WORK_DRAWS : 0;
}

uint64_t work_expected(const struct work *mine) {
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
