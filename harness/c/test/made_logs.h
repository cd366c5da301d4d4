#pragma once

#include "experiments/locks/owner_runs.h"

#include <stdlib.h>

/* Logs of several threads, of one iteration. */
enum { MOST_THREADS = 6 };

static inline void logs_open(struct owner_log *logs, int threads, size_t capacity, uint64_t count, int64_t now) {
    for (int i = 0; i < threads; i++) {
        owner_log_init(&logs[i], capacity, 1);
        owner_log_prepare(&logs[i], count, now);
    }
}

static inline struct owner_runs logs_between(struct owner_log *logs, int threads, int64_t from, int64_t until) {
    struct owner_stretch stretch[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        stretch[i] = owner_log_keep(&logs[i]);
    }
    return owner_runs_of(stretch, threads, from, until);
}

static inline struct owner_runs logs_all(struct owner_log *logs, int threads) {
    return logs_between(logs, threads, 0, INT64_MAX);
}

static inline void logs_close(struct owner_log *logs, int threads) {
    for (int i = 0; i < threads; i++) {
        free(logs[i].words);
    }
}
