#ifndef LAB_LOCK_SCALING_H
#define LAB_LOCK_SCALING_H

#include "experiment.h"
#include "locks.h"
#include "work.h"
#include "workers.h"

#include <pthread.h>
#include <stdint.h>

/* What the files of this experiment share: what the threads of a trial do, and what a variant
 * consists of. */

/* A window that no operation falls into: the distance to any counter exceeds every window. */
#define CLOSED (UINT64_C(1) << 63)

struct shared {
    /* The lock, what it guards and what is only read: each in its own line. */
    _Alignas(LAB_LINE) union {
        pthread_mutex_t mutex;
        struct ttas_lock ttas;
        struct ticket_lock ticket;
        struct mcs_lock mcs;
    } lock;
    _Alignas(LAB_LINE) uint64_t counter;
    _Alignas(LAB_LINE) uint64_t window_start; /* counter value of owner[0], or CLOSED */
    uint64_t window;
    uint16_t *owner;
    int64_t untimed; /* operations between two timed ones */
    int64_t half_ns; /* half an iteration */
    int threads;
    int64_t *scratch;
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

#endif
