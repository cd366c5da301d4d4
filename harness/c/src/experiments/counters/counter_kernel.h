#pragma once

#include "experiment.h"

/*
 * What the experiments that count in one word without a lock share: the loop around an operation, and the increments
 * themselves. All is inlined, so that every variant becomes a loop of its own around its instruction; tests read the
 * program's code. (On aarch64 an atomic instruction is a call all the same, unless the compiler is told that the
 * processor has it: see the Makefile.)
 */

/* One operation on the word, by a thread that keeps `self` in registers. */
typedef void counter_operation(uint64_t *word, void *self);

/* The template of all kernels: `operate` is a constant wherever this is called. The last operation of every `untimed` +
 * 1 is timed, clock to clock; the reading after it ends the iteration when its time is over. */
TEMPLATE void counter_kernel(struct worker *worker, int64_t untimed, counter_operation *operate, uint64_t *word,
                             void *self) {
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int64_t k = 0; k < untimed; k++) {
            operate(word, self);
        }
        int64_t before = clock_ns();
        operate(word, self);
        after = clock_ns();
        samples[sampled++] = after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * (untimed + 1);
}

/* Nobody reads the result, so the compiler makes it LOCK ADD. */
static inline void operate_lock_add(uint64_t *word, UNUSED void *self) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
}

/* The result goes nowhere, but through a register: that costs no instruction, and without it the compiler would make it
 * LOCK ADD. */
static inline void operate_lock_xadd(uint64_t *word, UNUSED void *self) {
    uint64_t count = __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" : : "r"(count));
}

/* Load, add, compare-exchange, and again from the load when another thread was faster, which adds one to `*failures`.
 * What the instruction has seen is not taken for the next attempt but loaded again, as in Java. */
static inline void increment_cas_loop(uint64_t *word, int64_t *failures) {
    uint64_t count = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        uint64_t expected = count;
        if (__atomic_compare_exchange_n(word, &expected, count + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return;
        }
        ++*failures;
        count = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    }
}

#ifdef LAB_BROKEN_LOCK
/* Load and store with time for others between them. */
static inline void operate_broken(uint64_t *word, UNUSED void *self) {
    uint64_t count = __atomic_load_n(word, __ATOMIC_RELAXED);
    sched_yield();
    __atomic_store_n(word, count + 1, __ATOMIC_RELAXED);
}
#endif
