#pragma once

#include "settling.h"
#include "workers.h"

#include <pthread.h>

/* What workers.c, which starts the workers and waits for them, shares with worker.c, which each of them runs. */

struct pool {
    const struct trial *trial;
    const struct workload *workload;
    struct phase *phases;
    struct settling settling;
    struct recorder *recorder;
    struct worker *workers;
    int64_t operations;
    pthread_mutex_t gate; /* held while threads are created */
    bool cancelled;       /* under the gate: not all threads could be created */
    int running;          /* under the gate: workers that have not ended */
    pthread_cond_t ended; /* the last of them has */
    int status;           /* under the gate until the first barrier, read by all after it */
    _Alignas(LAB_LINE) int arrived;
    _Alignas(LAB_LINE) unsigned generation;
    int64_t deadline_ns; /* of all workers in this iteration; the barrier orders it */
    bool reads;          /* the workers have a CPU of their own each, and read its state */
    int first_gap;       /* that was read and left; -1: none */
    int last_gap;
};

/* The life of a worker's thread; `argument` is its struct worker. */
void *worker_main(void *argument);
