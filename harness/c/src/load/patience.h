#pragma once

#include "clock.h"
#include "cpu.h"
#include "load/state.h"

#include <stdbool.h>
#include <stdint.h>

/* How the threads of a trial under load begin together, wait for each other and give up. */

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

static inline struct patience load_patient(struct load *load, const struct worker *worker, int64_t most_ns) {
    return (struct patience){load, worker->deadline_ns + most_ns, worker->oversubscribed, 0};
}

/*
 * One turn of a wait that spins; false when it must end with nothing. With more threads than CPUs the CPU is offered to
 * the others after a short while; otherwise after a long one, for threads that are not pinned may share a CPU all the
 * same, and a guest's CPU may be taken away.
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
