#include "owner_runs.h"
#include "stats.h"

#include <stdlib.h>

enum { THREAD_BITS = 16 };

static int64_t low(uint64_t word) {
    return (int64_t)(word & ((UINT64_C(1) << OWNER_BITS) - 1));
}

static int64_t high(uint64_t word) {
    return (int64_t)(word >> OWNER_BITS);
}

/* The last mark in a run. The entry after it carries it. */
static uint64_t mark_of(const struct owner_stretch *log, size_t entry) {
    if (entry + 1 < log->entries) {
        return log->words[OWNER_WORDS * (entry + 1) + 1];
    }
    return log->full ? 0 : log->last_mark;
}

/* Who adds to a counter without a lock reads the clock after its addition, and may be late: then the next owner's
 * reading is the earlier one. But the addition came before the next, and so before that reading too. In a lock readings
 * are in order. */
static void put_in_order(struct owner_runs *runs) {
    for (size_t i = runs->count; i-- > 0;) {
        struct owner_run *run = &runs->run[i];
        run->ns = run->ns < run[1].ns ? run->ns : run[1].ns;
    }
}

/* Leaves out what began too early or too late. Only once all are in order, for between two entries none may be
 * missing. */
static void keep_between(struct owner_runs *runs, size_t entries, int64_t from, int64_t until) {
    size_t first = 0;
    while (first < entries && runs->run[first].ns < from) {
        first++;
    }
    size_t size = 0;
    for (size_t i = first; i < entries && runs->run[i].ns <= until; i++) {
        struct owner_run run = runs->run[i];
        run.before = run.before < (long)first ? -1 : run.before - (long)first;
        runs->run[size++] = run;
    }
    runs->count = size > 0 ? size - 1 : 0;
}

struct owner_runs owner_runs_of(const struct owner_stretch *logs, int threads, int64_t from, int64_t until) {
    const int64_t limit = owner_stretches_limit(logs, threads);
    size_t entries = 0;
    for (int i = 0; i < threads; i++) {
        entries += logs[i].entries;
    }
    int64_t *keys = allocate(entries + 1, sizeof *keys); /* count and owner in one number */
    size_t size = 0;
    for (int i = 0; i < threads; i++) {
        for (size_t k = 0; k < logs[i].entries && owner_stretch_count(&logs[i], k) <= limit; k++) {
            keys[size++] = owner_stretch_count(&logs[i], k) << THREAD_BITS | i;
        }
    }
    stats_sort(keys, size);
    struct owner_runs runs = {.run = allocate(size + 1, sizeof *runs.run), .count = size > 0 ? size - 1 : 0};
    size_t *taken = allocate((size_t)threads, sizeof *taken);
    long *latest = allocate((size_t)threads, sizeof *latest); /* run + 1; 0: none yet */
    for (size_t i = 0; i < size; i++) {
        const int owner = (int)(keys[i] & ((1 << THREAD_BITS) - 1));
        const struct owner_stretch *log = &logs[owner];
        const size_t entry = taken[owner]++;
        const uint64_t mark = mark_of(log, entry);
        runs.run[i] = (struct owner_run){.count = keys[i] >> THREAD_BITS,
                                         .ns = owner_stretch_ns(log, entry),
                                         .mark_count = low(mark),
                                         .mark_ns = high(mark),
                                         .before = latest[owner] - 1,
                                         .owner = owner};
        latest[owner] = (long)i + 1;
    }
    free(latest);
    free(taken);
    free(keys);
    put_in_order(&runs);
    keep_between(&runs, size, from, until);
    return runs;
}

void owner_runs_free(struct owner_runs *runs) {
    free(runs->run);
    *runs = (struct owner_runs){0};
}

int64_t owner_runs_operations(const struct owner_runs *runs) {
    return runs->count ? runs->run[runs->count].count - runs->run[0].count : 0;
}

int64_t owner_runs_ns(const struct owner_runs *runs) {
    return runs->count ? runs->run[runs->count].ns - runs->run[0].ns : 0;
}
