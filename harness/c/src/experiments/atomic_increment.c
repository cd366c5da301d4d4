/*
 * atomic_increment: one counter, incremented by N threads without a lock.
 *
 * The last operation of every `sample-every` is timed, clock to clock: its value is a residence
 * time, and the reading after it ends the iteration when its time is over.
 *
 * Each variant is the instruction of its name (a test reads the program's code): a fetch-and-add
 * whose result nobody reads is compiled to LOCK ADD, one whose result is used to LOCK XADD.
 */
#include "../clock.h"
#include "../experiment.h"
#include "../workers.h"

#include <stdlib.h>

struct shared {
    _Alignas(LAB_LINE) uint64_t counter;
    _Alignas(LAB_LINE) int64_t untimed; /* operations between two timed ones */
    int64_t *events;                    /* of each worker in its last iteration */
    int threads;
    const char *event; /* what is counted beside operations, NULL for nothing */
};

/* What a thread keeps in registers while it counts. */
struct self {
    uint64_t next;  /* the counter as this thread left it */
    int64_t events; /* of this iteration */
};

static inline void operate_lock_add(uint64_t *counter, struct self *self) {
    (void)self;
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

/* The result goes nowhere, but through a register: that costs no instruction. */
static inline void operate_lock_xadd(uint64_t *counter, struct self *self) {
    (void)self;
    uint64_t count = __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" : : "r"(count));
}

/* The value it returns tells whether another thread has been there since: that begins a run, and
 * operations / runs is how many operations a thread does per visit of the cache line. To look at
 * it costs some cycles more than the instruction, hence a variant of its own. */
static inline void operate_lock_xadd_runs(uint64_t *counter, struct self *self) {
    uint64_t count = __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    self->events += count != self->next;
    self->next = count + 1;
}

/* Load, add, compare-exchange, and again from the load when another thread was faster. What the
 * instruction has seen is not taken for the next attempt but loaded again, as in Java. */
static inline void operate_cas_loop(uint64_t *counter, struct self *self) {
    uint64_t count = __atomic_load_n(counter, __ATOMIC_SEQ_CST);
    for (;;) {
        uint64_t expected = count;
        if (__atomic_compare_exchange_n(counter, &expected, count + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return;
        }
        self->events++;
        count = __atomic_load_n(counter, __ATOMIC_SEQ_CST);
    }
}

/* The instruction without the load: it starts from the value that this thread left, and after a
 * failure from the one that the instruction has seen. */
static inline void operate_cmpxchg(uint64_t *counter, struct self *self) {
    while (!__atomic_compare_exchange_n(counter, &self->next, self->next + 1, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        self->events++;
    }
    self->next++;
}

#ifdef LAB_BROKEN_LOCK
/* Load and store with time for others between them. */
static inline void operate_broken(uint64_t *counter, struct self *self) {
    (void)self;
    uint64_t count = __atomic_load_n(counter, __ATOMIC_RELAXED);
    sched_yield();
    __atomic_store_n(counter, count + 1, __ATOMIC_RELAXED);
}
#endif

/* The template of all kernels: `operate` is a constant wherever this is called, so that every
 * variant becomes a loop of its own with its instruction inlined. */
static inline __attribute__((always_inline)) void
kernel(struct worker *worker, struct shared *s, void (*operate)(uint64_t *, struct self *)) {
    struct self self = {.next = UINT64_MAX};
    const int64_t untimed = s->untimed;
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int64_t k = 0; k < untimed; k++) {
            operate(&s->counter, &self);
        }
        int64_t before = clock_ns();
        operate(&s->counter, &self);
        after = clock_ns();
        samples[sampled++] = after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * (untimed + 1);
    s->events[worker->index] = self.events;
}

/* Named in the program, so that the test finds their code. */
#define KERNEL(name)                                                                               \
    __attribute__((noinline)) static void atomic_##name(struct worker *worker, void *shared) {     \
        kernel(worker, shared, operate_##name);                                                    \
    }
KERNEL(lock_add)
KERNEL(lock_xadd)
KERNEL(lock_xadd_runs)
KERNEL(cas_loop)
KERNEL(cmpxchg)
#ifdef LAB_BROKEN_LOCK
KERNEL(broken)
#endif

#if defined(__x86_64__) || defined(__i386__)
#define ONLY_X86 NULL
#else
#define ONLY_X86 "LOCK ADD and LOCK XADD are instructions of x86 processors"
#endif

static const struct variant variants[] = {
    {"lock_add", ONLY_X86}, {"lock_xadd", ONLY_X86}, {"lock_xadd_runs", ONLY_X86},
    {"cas_loop", NULL},     {"cmpxchg", NULL},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL},
#endif
    {NULL, NULL},
};

/* Beside `variants`, in the same order. */
static const struct {
    void (*run)(struct worker *, void *);
    const char *event;
} implementations[] = {
    {atomic_lock_add, NULL},
    {atomic_lock_xadd, NULL},
    {atomic_lock_xadd_runs, "owner_runs"},
    {atomic_cas_loop, "failed_cas"},
    {atomic_cmpxchg, "failed_cas"},
#ifdef LAB_BROKEN_LOCK
    {atomic_broken, NULL},
#endif
};

static const struct parameter parameters[] = {
    {.name = "sample-every", .type = PARAMETER_INT, .min = 1, .max = 1 << 20, .number = 1024},
    {0},
};

static void measure(void *shared, const struct worker *workers, int iteration,
                    struct recorder *recorder) {
    (void)workers;
    const struct shared *s = shared;
    int64_t sum = 0;
    for (int i = 0; i < s->threads; i++) {
        sum += s->events[i];
    }
    recorder_measure(recorder, iteration, "", s->event, (double)sum);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    size_t which = (size_t)(trial->variant - variants);
    struct shared *s = allocate(1, sizeof *s);
    s->untimed = trial_int(trial, "sample-every") - 1;
    s->threads = trial->threads;
    s->event = implementations[which].event;
    s->events = allocate((size_t)trial->threads, sizeof *s->events);
    const struct workload workload = {.shared = s,
                                      .run = implementations[which].run,
                                      .measure = s->event == NULL ? NULL : measure};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->counter);
    free(s->events);
    free(s);
    return status;
}

const struct experiment experiment_atomic_increment = {
    .name = "atomic_increment", .variants = variants, .parameters = parameters, .run = run};
