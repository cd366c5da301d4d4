#include "stats.h"

#include <math.h>
#include <stdlib.h>

int stats_ascending(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void stats_sort(int64_t *values, size_t count) {
    if (count) {
        qsort(values, count, sizeof *values, stats_ascending);
    }
}

double stats_median(int64_t *values, size_t count) {
    if (count == 0) {
        return 0;
    }
    stats_sort(values, count);
    size_t middle = count / 2;
    return count % 2 ? (double)values[middle] : ((double)values[middle - 1] + (double)values[middle]) / 2;
}

int64_t stats_percentile(const int64_t *sorted, size_t count, double percent) {
    if (count == 0) {
        return 0;
    }
    /* One step below the requested percentile, so that rounding never reaches the next rank. */
    double rank = ceil(nextafter(percent, 0) * (double)count / 100);
    return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

double stats_gini(int64_t *values, size_t count) {
    stats_sort(values, count);
    double total = 0;
    double weighted = 0;
    for (size_t i = 0; i < count; i++) {
        total += (double)values[i];
        weighted += (double)(i + 1) * (double)values[i];
    }
    double n = (double)count;
    return total > 0 ? fmax(0, (2 * weighted / total - (n + 1)) / n) : 0;
}
