#pragma once

#include "allocate.h"
#include "args.h"
#include "cpu.h"
#include "phases.h"
#include "reading.h"
#include "recorder.h"
#include "run_delay.h"
#include "status.h"

/*
 * N threads that run the iterations of a trial together. Every iteration: all meet at a spinning barrier, each reads
 * the clock, runs the experiment's kernel until the deadline, reads the clock again, and meets the others. The deadline
 * is one for all: an iteration's length after the last has arrived. Who has to wait for a CPU from then on starts later
 * than the others and ends with them. Starting and joining threads, folding samples and writing happen outside that
 * stretch.
 */

/*
 * A worker that sleeps until another wakes it would sleep for good after a lost signal. Where an experiment knows how
 * long an iteration may take, the thread that waits for the workers looks up now and then whether they still meet at
 * the barrier, and ends the process where they do not (workload.patience_ns). Trials shorter than half of the grace
 * never see it awake.
 */

/* What patience_ns adds to an iteration's length: far longer than any host keeps a thread that can run from running,
 * far shorter than the time-out of a trial. */
#ifndef WORKERS_GRACE_NS
#define WORKERS_GRACE_NS INT64_C(10000000000)
#endif

/* What patience_ns allows for one wake-up, on the average of an iteration: about a hundred times of what it takes where
 * a CPU is free. */
#define WORKERS_WAKE_NS INT64_C(1000000)

/* What it allows for one where threads share a CPU, also with those of others: a few time slices of theirs. */
#ifndef WORKERS_SLICE_NS
#define WORKERS_SLICE_NS INT64_C(20000000)
#endif

struct pool;

struct worker {
    _Alignas(LAB_LINE) int index;
    char series[SERIES_LENGTH]; /* "t<index>", or as the workload says; "" writes no row */
    int64_t start_ns;           /* of this iteration, set before the kernel */
    int64_t end_ns;             /* set after the kernel */
    int64_t deadline_ns;        /* when the kernel should stop: the same for all workers */
    int64_t operations;         /* of this iteration, set by the kernel */
    int64_t *samples;           /* of this iteration, preallocated and touched: one store each */
    size_t sample_count;        /* set by the kernel */
    size_t sample_capacity;     /* a kernel ends its iteration early rather than pass it */
    bool oversubscribed;        /* more workers than CPUs: waiting must yield, see spin_wait() */
    struct pool *pool;
    /* context switches within measured iterations */
    int64_t voluntary, involuntary;
    struct run_delay waited;  /* in the phase "measured", what is between its iterations included */
    bool waiting_unknown;     /* the kernel does not tell */
    bool following;           /* the iteration before was measured: what is since then is missing */
    struct reading reading;   /* of before this iteration */
    struct reading_line line; /* to the next worker */
};

/* What an experiment does with its workers. */
struct workload {
    void *shared;
    /* The parts of the trial, some of which may become longer. NULL: the warm-up and the measured iterations it was
     * asked for. */
    struct phase *phases;
    /* Of worker 0 in place of "t0", the others having none; "": nobody has. May be NULL. */
    const char *series;
    /* Before an iteration, by worker 0 alone. May be NULL. */
    void (*prepare)(void *shared, struct worker *workers, int iteration);
    /* The kernel, by every worker: sets operations, samples and sample_count. */
    void (*run)(struct worker *worker, void *shared);
    /* After an iteration, by worker 0 alone, rows already written: adds measures. May be NULL. */
    void (*measure)(void *shared, const struct worker *workers, int iteration, struct recorder *recorder);
    /* Threads of the experiment's own that run beside the workers: they need CPUs too. */
    int beside;
    /* Their context switches so far, read by worker 0 between iterations. May be NULL. */
    void (*switches)(void *shared, int64_t *voluntary, int64_t *involuntary);
    /* After that long without the end of an iteration the process ends, STATUS_CHECK_FAILED: an iteration's length and
     * WORKERS_GRACE_NS. 0: nobody knows its length, and it is awaited for ever. */
    int64_t patience_ns;
};

/*
 * Runs the iterations of all phases; writes one row per worker and iteration, the pinning, and the
 * context switches and the waiting for a CPU of the phase "measured". `*operations` (may be NULL)
 * is the sum over all iterations and workers, for the experiment's check. Returns 0 or fail().
 */
int workers_run(const struct trial *trial, struct recorder *recorder, const struct workload *workload,
                int64_t *operations);
