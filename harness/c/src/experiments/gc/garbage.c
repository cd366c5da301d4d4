/* What gc_pause does with its live set before the first operation and after the last. */
#include "garbage.h"

enum { WITH_REFERENCE = 112 }; /* what a live array takes in all, as Java counts it */

void garbage_init(struct garbage *g, const struct trial *trial, enum fault fault) {
    *g = (struct garbage){.fault = fault};
    g->arrays = trial_int(trial, "bytes-per-operation") / GARBAGE_BYTES;
    g->keep_every = g->until_kept = trial_int(trial, "keep-every");
    g->places = trial_int(trial, "live-mb") * (1 << 20) / WITH_REFERENCE | 1;
    g->live = reallocate(NULL, (size_t)g->places * sizeof *g->live);
    for (int64_t i = 0; i < g->places; i++) {
        g->live[i] = NULL;
    }
}

void garbage_fill(struct garbage *g) {
    while (g->kept < g->places) {
        garbage_keep(g, garbage_make(g));
    }
}

int64_t garbage_in_place(const struct garbage *g, int64_t operations) {
    const int64_t put = g->places + operations * g->arrays / g->keep_every;
    int64_t found = 0;
    for (int64_t number = put - g->places; number < put; number++) {
        const char *array = g->live[number % g->places];
        found += array && array[0] == (char)number;
    }
    return found;
}

void garbage_end(struct garbage *g) {
    for (int64_t i = 0; i < g->places; i++) {
        garbage_drop(g, g->live[i]);
    }
    for (int i = 0; i < GARBAGE_RECENT; i++) {
        garbage_drop(g, g->recent[i]);
    }
    free(g->live);
    free(g->only);
}
