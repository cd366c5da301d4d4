#include "clock.h"
#include "stats.h"

struct clock_pair clock_pair_read(void) {
    struct clock_pair best = {0, 0};
    int64_t tightest = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        struct timespec epoch;
        int64_t before = clock_ns();
        clock_gettime(CLOCK_REALTIME, &epoch);
        int64_t after = clock_ns();
        if (after - before < tightest) {
            tightest = after - before;
            best.monotonic_ns = before + (after - before) / 2;
            best.epoch_ms = (int64_t)epoch.tv_sec * 1000 + epoch.tv_nsec / 1000000;
        }
    }
    return best;
}

double clock_read_cost(void) {
    enum { READS = 1000 };
    int64_t times[READS + 1];
    int64_t cost[READS];
    for (int i = 0; i <= READS; i++) {
        times[i] = clock_ns();
    }
    for (int i = 0; i < READS; i++) {
        cost[i] = times[i + 1] - times[i];
    }
    return stats_median(cost, READS);
}
