#pragma once

#include "owner_log.h"

/*
 * The runs of an iteration: who owned the lock from when to when, put together from the logs of all threads. Run i
 * begins with an entry and ends where run i+1 begins; the last one is open and left out. A log that was full may have
 * missed what came after its last entry, so the stretch ends there.
 *
 * It also lies where all threads were at the lock: a thread that had to wait for a CPU begins later than the others, or
 * finds at its return that they have left, and a lock that nobody asks for is not handed over.
 */
struct owner_run {
    int64_t count; /* operations before it */
    int64_t ns;    /* its first entry; both since the iteration began */
    int64_t mark_count;
    int64_t mark_ns; /* of the last reading of the clock in it; 0: none */
    long before;     /* the run that its owner had before it, or -1 */
    int owner;
};

struct owner_runs {
    struct owner_run *run; /* `count` of them, and the open one behind */
    size_t count;
};

/* Of the logs of all threads, those that begin between `from` and `until`, in nanoseconds since the iteration began;
 * owner_runs_free() frees it. */
struct owner_runs owner_runs_of(const struct owner_stretch *logs, int threads, int64_t from, int64_t until);
void owner_runs_free(struct owner_runs *runs);

/* Operations of all runs, and the time from the first entry to the last. */
int64_t owner_runs_operations(const struct owner_runs *runs);
int64_t owner_runs_ns(const struct owner_runs *runs);

/* Operations of a run. */
static inline int64_t run_length(const struct owner_run *run) {
    return run[1].count - run->count;
}

/* From a run's first entry to that of the next run. */
static inline int64_t run_turn(const struct owner_run *run) {
    return run[1].ns - run->ns;
}

/* Whether the clock was read in a run, between two of its operations. A reading that the next owner's entry came before
 * was taken when the run was over. */
static inline bool run_marked(const struct owner_run *run) {
    return run->mark_ns > 0 && run->mark_ns < run[1].ns;
}

/* Operations of a run that nothing was timed after: those behind its mark, or all but the first. */
static inline int64_t run_tail_length(const struct owner_run *run) {
    return run_marked(run) ? run[1].count - run->mark_count : run_length(run) - 1;
}

/* From the last reading of the clock in a run to the first entry of the next. */
static inline int64_t run_tail_ns(const struct owner_run *run) {
    return run_marked(run) ? run[1].ns - run->mark_ns : run_turn(run);
}
