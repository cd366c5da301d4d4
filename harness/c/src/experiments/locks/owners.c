#include "owners.h"
#include "allocate.h"
#include "stats.h"

#include <stdlib.h>

struct owner_summary owners_summarise(const uint16_t *owner, size_t count, int threads,
                                      int64_t *gaps) {
    struct owner_summary summary = {0, 0, 0, 0};
    /* Position just after each thread's latest operation; 0: none yet. */
    int64_t *end = allocate((size_t)threads, sizeof *end);
    int last = OWNER_NONE;
    for (size_t k = 0; k < count; k++) {
        int me = owner[k];
        if (me == OWNER_NONE) {
            continue;
        }
        if (me != last) {
            summary.runs++;
            if (end[me]) {
                gaps[summary.reacquires++] = summary.operations - end[me];
            }
        }
        last = me;
        end[me] = ++summary.operations;
    }
    summary.median_between = stats_median(gaps, (size_t)summary.reacquires);
    free(end);
    return summary;
}
