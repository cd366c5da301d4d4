#pragma once

#include "locks.h"
#include "owner_logs.h"
#include "work.h"

#include <pthread.h>

/* What the files of this experiment share: what the threads of a trial do, and what a variant consists of. */

/* What a thread keeps to itself. */
struct own {
    _Alignas(LAB_LINE) int64_t runs; /* how often it had the lock after another one, with work
                                        outside: in an iteration */
    uint64_t counter;                /* of the variant that shares none */
};

struct shared {
    /* The lock, what it guards and what is only read: each in its own line. */
    _Alignas(LAB_LINE) union {
        pthread_mutex_t mutex;
        struct ttas_lock ttas;
        struct ticket_lock ticket;
        struct mcs_lock mcs;
    } lock;
    _Alignas(LAB_LINE) uint64_t counter;
    _Alignas(LAB_LINE) struct owner_logs *logs; /* NULL: nothing is logged */
    int64_t chunk;                              /* operations from one reading of the clock to the next */
    int threads;
    int64_t *scratch;
    struct own *own;      /* by thread */
    struct work *outside; /* by thread; NULL: the next operation follows at once */
    double clock_read_ns;
};

/* A kind of lock: an open one, and the loop of a thread that takes it. */
struct lock {
    void (*init)(struct shared *);
    void (*run)(struct worker *, void *);
};

/* In lock_scaling_loops.c, beside the loops; ends with a NULL name. */
extern const struct variant lock_scaling_variants[];
