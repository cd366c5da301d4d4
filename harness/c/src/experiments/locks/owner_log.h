#pragma once

#include "allocate.h"
#include "clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The log of one thread: when it became the owner of the lock, and at which count.
 *
 * A thread that enters and finds the count where its own last operation left it has owned the lock since then; else
 * others have been in, and it reads the clock. So one reading is paid for each change of owner, inside the lock, where
 * it keeps the others waiting for 20 ns and decides nothing about who is next. (A reading before the acquire would give
 * the lock away: who was timed so waited nearly always.) No word of it is shared: a common log would move one more line
 * at each change, and which run was whose follows from the counts.
 *
 * Where a run ends is known to nobody while it does. The reading at the end of a chunk, which the deadline needs
 * anyway, is kept as a mark: from the last one on the operations are counted, not timed. What was logged stays where it
 * is until the trial is over, for sorting it between two iterations would disturb the next.
 */

/* An entry: when and at which count, then the last mark in the run before; each 32 bits of nanoseconds and 32 of
 * operations since the iteration began. With work outside each operation is one: when it was asked for and its count,
 * then when it had released the lock. */
enum { OWNER_WORDS = 2, OWNER_BITS = 32, OWNER_AHEAD = 16 };

struct owner_log {
    _Alignas(LAB_LINE) uint64_t mark; /* of this run; 0: none */
    int64_t origin;                   /* when the iteration began */
    uint64_t base;                    /* the count then */
    size_t size, limit;               /* words in use, and those that may be */
    size_t kept;                      /* words of iterations before */
    size_t capacity;                  /* words of an iteration */
    size_t words_in_all;
    uint64_t *words;
};

/* One thread's part of an iteration. */
struct owner_stretch {
    const uint64_t *words;
    size_t entries;
    bool full;          /* the thread may have become the owner once more, unnoticed */
    uint64_t last_mark; /* that of its last run, which no entry carries */
};

static inline int64_t owner_stretch_count(const struct owner_stretch *log, size_t entry) {
    return (int64_t)(log->words[OWNER_WORDS * entry] & ((UINT64_C(1) << OWNER_BITS) - 1));
}

static inline int64_t owner_stretch_ns(const struct owner_stretch *log, size_t entry) {
    return (int64_t)(log->words[OWNER_WORDS * entry] >> OWNER_BITS);
}

/* With work outside. */
static inline int64_t owner_stretch_released(const struct owner_stretch *log, size_t entry) {
    return (int64_t)log->words[OWNER_WORDS * entry + 1];
}

/* The count that no missing entry of any thread lies before. */
int64_t owner_stretches_limit(const struct owner_stretch *logs, int threads);

/* Room for `capacity` changes of owner in each of so many iterations that are kept. */
void owner_log_init(struct owner_log *log, size_t capacity, size_t iterations);

/* Begins the next iteration's part, at `count` and `now`. Without room no clock is read. */
void owner_log_prepare(struct owner_log *log, uint64_t count, int64_t now);

/* Keeps what was logged in the iteration that has ended; else the next one is logged over it. */
struct owner_stretch owner_log_keep(struct owner_log *log);

/* A run of this thread begins, so many nanoseconds and operations after the iteration. */
void owner_log_add(struct owner_log *log, int64_t ns, uint64_t operations);

/* Others have been in since this thread's last operation. */
void owner_log_changed(struct owner_log *log, uint64_t count);

/* `*next`, when an iteration begins. */
#define OWNER_NONE UINT64_MAX

/* An operation of this thread, from inside the lock; of an atomic counter, right after it. `*next` is the count that
 * the thread finds if nobody else was in since its last one: a variable of the loop that stays in a register, for one
 * more store inside the lock changed whom TTAS lets in (16 % more operations). */
static inline void owner_log_entered(struct owner_log *log, uint64_t *next, uint64_t count) {
    if (__builtin_expect(count != *next, 0)) {
        owner_log_changed(log, count);
    }
    *next = count + 1;
}

/* With work outside: an operation of this thread, from when it was asked for until it had released the lock. Its count
 * is that of the counter before it. */
void owner_log_operation(struct owner_log *log, int64_t asked, int64_t released, uint64_t count);

/* A chunk of operations has ended, at that reading of the clock. */
static inline void owner_log_ended(struct owner_log *log, uint64_t next, int64_t now) {
    const uint64_t since = (uint64_t)(now - log->origin);
    log->mark = since >> OWNER_BITS ? 0 : since << OWNER_BITS | (next - log->base);
}
