#pragma once

#include "allocate.h"
#include "cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* What the files of this experiment share: a pair, and the ways to wake its waiter. */

struct pair;

/* A way to wake. */
struct mechanism {
    void (*receive)(struct pair *pair);
    /* Publishes and wakes; returns the duration of the waking call alone. */
    int64_t (*send)(struct pair *pair, uint32_t sequence);
    /* Returns once the waiter, which has taken the last number, sleeps. */
    void (*asleep)(struct pair *pair, bool yields);
    void (*stop)(struct pair *pair);
    bool tells_woken;
    bool hasty; /* does not wait for the waiter */
};

struct switches {
    int64_t voluntary, involuntary;
};

struct pair {
    const struct mechanism *mechanism;
    /* Written by both. */
    _Alignas(LAB_LINE) pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t slot; /* the last number sent; guarded by the mutex, where there is one */
    bool stopped;  /* likewise */
    /* The waiter's own. */
    _Alignas(LAB_LINE) uint32_t acknowledged; /* the last number taken, read by the notifier */
    int64_t taken, in_order;
    pthread_t waiter;
    /* The notifier's own. */
    _Alignas(LAB_LINE) uint32_t sent;
    int64_t start_ns, end_ns;
    int64_t woken;   /* wake-ups of this iteration that found a sleeper, where the call says so */
    int64_t watched; /* blocks of this iteration around which context switches were read */
    struct switches switches;
};

/* One turn of a notifier's waiting. */
static inline void pause_once(bool yields) {
    if (yields) {
        sched_yield();
    } else {
        cpu_relax();
    }
}

extern const struct mechanism notify_condition, notify_futex;

#ifdef LAB_BROKEN_LOCK
/* Does not wait for the waiter; never sends the third number. */
extern const struct mechanism notify_hasty, notify_losing;
#endif

/* A waiter for each of the pairs, woken by `mechanism`. Returns 0 or errno; `*started` of them run in either case. */
int waiters_start(struct pair *pairs, int count, const struct mechanism *mechanism, int *started);

/* Lets them go and waits until they have ended. */
void waiters_end(struct pair *pairs, int started);
