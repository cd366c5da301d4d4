#include "owner_log.h"

#include <string.h>

void owner_log_init(struct owner_log *log, size_t capacity, size_t iterations) {
    *log = (struct owner_log){.capacity = OWNER_WORDS * capacity, .words_in_all = OWNER_WORDS * capacity * iterations};
    log->words = allocate(log->words_in_all + OWNER_AHEAD, sizeof *log->words);
    memset(log->words, 1, log->words_in_all * sizeof *log->words); /* no page is new in the loop */
}

void owner_log_prepare(struct owner_log *log, uint64_t count, int64_t now) {
    const bool room = log->kept + log->capacity <= log->words_in_all;
    log->mark = 0;
    log->origin = now;
    log->base = count;
    log->size = log->kept;
    log->limit = log->kept + (room ? log->capacity : 0);
}

struct owner_stretch owner_log_keep(struct owner_log *log) {
    const struct owner_stretch stretch = {.words = log->words + log->kept,
                                          .entries = (log->size - log->kept) / OWNER_WORDS,
                                          .full = log->size >= log->limit,
                                          .last_mark = log->mark};
    log->kept = log->size;
    return stretch;
}

void owner_log_add(struct owner_log *log, int64_t ns, uint64_t operations) {
    if (((uint64_t)ns | operations) >> OWNER_BITS) {
        log->limit = log->size; /* an iteration of more than 4 s: the log ends here */
        return;
    }
    log->words[log->size] = (uint64_t)ns << OWNER_BITS | operations;
    log->words[log->size + 1] = log->mark;
    log->size += OWNER_WORDS;
    /* Stores leave in order, the one that opens the lock after these: a line of the log that was far away would keep
     * the lock shut. */
    __builtin_prefetch(&log->words[log->size + OWNER_AHEAD], 1);
}

void owner_log_operation(struct owner_log *log, int64_t asked, int64_t released, uint64_t count) {
    if (log->size < log->limit) {
        log->mark = (uint64_t)(released - log->origin);
        owner_log_add(log, asked - log->origin, count - log->base);
    }
}

int64_t owner_stretches_limit(const struct owner_stretch *logs, int threads) {
    int64_t limit = INT64_MAX;
    for (int i = 0; i < threads; i++) {
        if (logs[i].full) {
            const size_t entries = logs[i].entries;
            const int64_t last = entries ? owner_stretch_count(&logs[i], entries - 1) : -1;
            limit = last < limit ? last : limit;
        }
    }
    return limit;
}

/* Out of line: what is seldom done makes no code in the loop longer. */
__attribute__((noinline)) void owner_log_changed(struct owner_log *log, uint64_t count) {
    if (log->size < log->limit) {
        owner_log_add(log, clock_ns() - log->origin, count - log->base);
    }
    log->mark = 0;
}
