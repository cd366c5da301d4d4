#pragma once

#include <stddef.h>
#include <stdint.h>

/* The order of integers, for qsort(); also of structures that begin with one. */
int stats_ascending(const void *left, const void *right);

/* Sorts `values` in place, ascending. */
void stats_sort(int64_t *values, size_t count);

/* Median; the mean of the middle two for an even count; 0 for none. Sorts `values`. */
double stats_median(int64_t *values, size_t count);

/* Nearest-rank percentile of sorted values (the smallest value that at least `percent` % of all values do not exceed:
 * the HdrHistogram rule); 0 for none. */
int64_t stats_percentile(const int64_t *sorted, size_t count, double percent);

/* Gini coefficient of non-negative values: 0 all equal, (n-1)/n one has everything; 0 for none or when all are 0. Sorts
 * `values`. */
double stats_gini(int64_t *values, size_t count);
