#include "load/samples.h"
#include "allocate.h"
#include "stats.h"

#include <stdlib.h>

void samples_make_room(struct samples *samples, int64_t count) {
    samples->count = 0;
    if (samples->room < count) {
        free(samples->values);
        samples->values = allocate((size_t)count, sizeof *samples->values);
        samples->room = count;
    }
}

void samples_append(struct samples *to, const struct samples *from) {
    const int64_t count = to->count + from->count;
    if (to->room < count) {
        struct samples larger = {0};
        samples_make_room(&larger, count);
        samples_append(&larger, to);
        free(to->values);
        *to = larger;
    }
    for (int64_t i = 0; i < from->count; i++) {
        to->values[to->count++] = from->values[i];
    }
}

int64_t samples_median(struct samples *samples) {
    if (samples->count == 0) {
        return 0;
    }
    stats_sort(samples->values, (size_t)samples->count);
    return samples->values[samples->count / 2];
}
