#ifndef LAB_LOAD_LOADING_H
#define LAB_LOAD_LOADING_H

#include "clock.h"
#include "cpu.h"
#include "load/arrivals.h"
#include "load/samples.h"
#include "load/totals.h"
#include "workers.h"

#include <stdbool.h>
#include <stdint.h>

/* A trial under load: what all its threads share, and how they wait for each other. */

enum {
    LOAD_START_NS = 50000, /* from the opening to the start, which is the same for all */
    LOAD_CAPACITIES = 10,  /* iterations of the phase */
    LOAD_CAPACITIES_AFTER = 3,
};

/* Phases beside the usual ones. */
#define LOAD_CAPACITY "capacity"
#define LOAD_CAPACITY_AFTER "capacity_after"

struct load {
    /* As given. */
    const struct trial *trial;
    int percent, producers, consumers;
    double rate_given;
    bool stamped;  /* events carry times */
    bool works;    /* handling an event takes work.draws */
    bool in_order; /* each consumer sees all events of a producer, in order */
    /* What is not so is set after load_open(), and its measures are left out: nobody counts them.
     */
    bool handed_over; /* else the generator alone: nobody takes what it sends */
    bool looked_for;  /* consumers look for events, and count the looks in vain */
    int64_t mask;     /* sample-every - 1, of events that carry times */
    int64_t work_ns, stall_ns;
    struct phase phases[5]; /* the last has no name */
    struct arrivals arrivals;
    struct source *sources;
    struct receipts *receipts;
    /* The iteration. */
    int64_t start_ns; /* CLOCK_MONOTONIC */
    int64_t length_ns;
    int64_t stall_at; /* INT64_MAX: it does not */
    bool saturated;
    /* The trial so far. */
    double latest_capacity; /* events per second of the latest saturated iteration */
    double capacities[LOAD_CAPACITIES], capacities_after[LOAD_CAPACITIES_AFTER];
    int capacity_count, capacity_after_count;
    double too_many_rate; /* not 0: of more events than an iteration may have; the trial fails */
    int64_t numbers_due;  /* sum of the numbers of all events that were sent */
    struct totals totals;
    struct samples scratch; /* a series, while its row is written */
    _Alignas(LAB_LINE) bool abandoned;
};

/* Whether pairs of events tell the service time: they are one producer's, and one consumer's. */
static inline bool load_pairs(const struct load *load) {
    return load->producers == 1 && load->consumers == 1;
}

/* When this iteration starts, for one of its workers. */
static inline int64_t load_start(const struct load *load, const struct worker *worker) {
    return worker->deadline_ns - load->length_ns + LOAD_START_NS;
}

static inline bool load_abandoned(const struct load *load) {
    return __atomic_load_n(&load->abandoned, __ATOMIC_RELAXED);
}

static inline void load_abandon(struct load *load) {
    __atomic_store_n(&load->abandoned, true, __ATOMIC_RELAXED);
}

/* A wait of one side for the other. */
struct patience {
    struct load *load;
    int64_t until_ns; /* then it is hopeless */
    bool oversubscribed;
    unsigned turns;
};

static inline struct patience load_patient(struct load *load, const struct worker *worker,
                                           int64_t most_ns) {
    return (struct patience){load, worker->deadline_ns + most_ns, worker->oversubscribed, 0};
}

/*
 * One turn of a wait that spins; false when it must end with nothing. With more threads than CPUs
 * the CPU is offered to the others after a short while; otherwise after a long one, for threads
 * that are not pinned may share a CPU all the same, and a guest's CPU may be taken away.
 */
static inline bool load_wait(struct patience *patience) {
    enum { YIELD_OVERSUBSCRIBED = 64, YIELD = 1 << 14, LOOK = 1 << 12 };
    cpu_relax();
    const unsigned turns = ++patience->turns;
    if (__builtin_expect(turns % YIELD_OVERSUBSCRIBED != 0, 1)) {
        return true;
    }
    if (patience->oversubscribed || turns % YIELD == 0) {
        sched_yield();
    }
    if (turns % LOOK == 0 && clock_ns() > patience->until_ns) {
        load_abandon(patience->load);
    }
    return !load_abandoned(patience->load);
}

/* What three in four iterations reach, of at least one and at most LOAD_CAPACITIES. A structure
 * whose buffer is full may be several times as fast as one that is nearly empty, and an iteration
 * may be of either kind: a load has to be one that the slower kind can bear. */
double load_sustained(const double *rates, int count);

#endif
