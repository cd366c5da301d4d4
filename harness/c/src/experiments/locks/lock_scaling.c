/*
 * lock_scaling: a shared counter incremented in a critical section by N threads.
 *
 * One operation is acquire, increment, release. The last operation of every `sample-every` is
 * timed (clock before the acquire, after the release): its value is a residence time, measured on
 * its own, so that Little's law (N = throughput x residence) can be tested and not assumed. That
 * timing also ends the iteration, so the clock is read twice per `sample-every` operations and the
 * whole-trial measure clock_read says what that adds.
 *
 * In the middle of an iteration, inside the critical section, `window` consecutive operations are
 * signed with their owner's index. That costs one compare per operation outside the window, and
 * gives the run lengths that tell a convoy from a barging lock.
 *
 * With `outside` a thread works that many nanoseconds, on the average, between a release and its
 * next acquire: N threads in a closed queue in front of one server. The work before a timed
 * operation is timed too, so that the mean time outside is measured and not taken for granted.
 *
 * Run: harness/c/build/lab-harness lock_scaling --variant ticket --threads 2 --warmup 5
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: a lock that changes hands every few operations at most (owner_runs beside
 * window_operations), where pthread_mutex lets its owner go on for many.
 */
#include "clock.h"
#include "cpu.h"
#include "experiment.h"
#include "locks.h"
#include "owners.h"
#include "stats.h"
#include "work.h"
#include "workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* What an operation needs to know about its thread. */
struct self {
    struct mcs_node node;
    uint16_t index;
    bool oversubscribed;
};

/* What the lock guards: an honest load, add and store. `open` starts the window here, in the
 * critical section, so that its first entry is this operation and no entry is missed. Returns the
 * count before. */
static inline uint64_t increment(struct shared *s, uint16_t me, bool open) {
    uint64_t count = s->counter;
    s->counter = count + 1;
    if (open && s->window_start == CLOSED) {
        s->window_start = count;
    }
    uint64_t slot = count - s->window_start;
    if (slot < s->window) {
        s->owner[slot] = me;
    }
    return count;
}

/* Without the barriers this would measure nothing at all. */
static inline uint64_t operate_no_lock(struct shared *s, struct self *self, bool open) {
    compiler_barrier();
    uint64_t count = increment(s, self->index, open);
    compiler_barrier();
    return count;
}

static inline uint64_t operate_mutex(struct shared *s, struct self *self, bool open) {
    pthread_mutex_lock(&s->lock.mutex);
    uint64_t count = increment(s, self->index, open);
    pthread_mutex_unlock(&s->lock.mutex);
    return count;
}

static inline uint64_t operate_ttas(struct shared *s, struct self *self, bool open) {
    ttas_acquire(&s->lock.ttas, self->oversubscribed);
    uint64_t count = increment(s, self->index, open);
    ttas_release(&s->lock.ttas);
    return count;
}

static inline uint64_t operate_ticket(struct shared *s, struct self *self, bool open) {
    ticket_acquire(&s->lock.ticket, self->oversubscribed);
    uint64_t count = increment(s, self->index, open);
    ticket_release(&s->lock.ticket);
    return count;
}

static inline uint64_t operate_mcs(struct shared *s, struct self *self, bool open) {
    mcs_acquire(&s->lock.mcs, &self->node, self->oversubscribed);
    uint64_t count = increment(s, self->index, open);
    mcs_release(&s->lock.mcs, &self->node, self->oversubscribed);
    return count;
}

/* The lock-free control: LOCK XADD on x86. There is no critical section to sign in, so others may
 * pass between the addition that opens the window and its opening: those few entries stay
 * unsigned and are left out. */
static inline uint64_t operate_atomic(struct shared *s, struct self *self, bool open) {
    uint64_t count = __atomic_fetch_add(&s->counter, 1, __ATOMIC_SEQ_CST);
    uint64_t closed = CLOSED;
    if (open) {
        __atomic_compare_exchange_n(&s->window_start, &closed, count, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    uint64_t slot = count - __atomic_load_n(&s->window_start, __ATOMIC_RELAXED);
    if (slot < s->window) {
        s->owner[slot] = self->index;
    }
    return count;
}

typedef uint64_t lock_operation(struct shared *, struct self *, bool open);

/* The template of all kernels: `operate` is a constant wherever this is called, so that every
 * variant becomes a loop of its own with its lock inlined. Not counter_kernel(): the operation here
 * needs to know when it begins, to open the window. */
static inline __attribute__((always_inline)) void kernel(struct worker *worker, struct shared *s,
                                                         lock_operation *operate) {
    struct self self = {.index = (uint16_t)worker->index, .oversubscribed = worker->oversubscribed};
    const int64_t middle = worker->start_ns + s->half_ns;
    const int64_t untimed = s->untimed;
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int64_t k = 0; k < untimed; k++) {
            operate(s, &self, false);
        }
        int64_t before = clock_ns();
        operate(s, &self, before >= middle);
        after = clock_ns();
        samples[sampled++] = after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * (untimed + 1);
}

/* The same with work before every operation. */
static inline __attribute__((always_inline)) void
kernel_outside(struct worker *worker, struct shared *s, lock_operation *operate) {
    struct self self = {.index = (uint16_t)worker->index, .oversubscribed = worker->oversubscribed};
    struct work *const mine = &s->outside[worker->index];
    const int64_t middle = worker->start_ns + s->half_ns;
    const int64_t untimed = s->untimed;
    int64_t *const samples = worker->samples;
    int64_t outside_ns = 0;
    int64_t lock_ns = 0;
    uint64_t count = 0;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int64_t k = 0; k < untimed; k++) {
            work_do(mine, count);
            count = operate(s, &self, false);
        }
        int64_t released = clock_ns();
        work_do(mine, count);
        int64_t before = clock_ns();
        count = operate(s, &self, before >= middle);
        after = clock_ns();
        samples[sampled++] = after - before;
        outside_ns += before - released;
        lock_ns += after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    mine->timed_ns = outside_ns;
    mine->beside_ns = lock_ns;
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * (untimed + 1);
}

#define KERNEL(name)                                                                               \
    static void run_##name(struct worker *worker, void *shared) {                                  \
        struct shared *s = shared;                                                                 \
        if (s->outside) {                                                                          \
            kernel_outside(worker, s, operate_##name);                                             \
        } else {                                                                                   \
            kernel(worker, s, operate_##name);                                                     \
        }                                                                                          \
    }
KERNEL(no_lock)
KERNEL(atomic)
KERNEL(mutex)
KERNEL(ttas)
KERNEL(ticket)
KERNEL(mcs)

static void init_nothing(struct shared *s) {
    (void)s; /* the zeroed words are an open lock */
}

static void init_mutex(struct shared *s) {
    pthread_mutex_init(&s->lock.mutex, NULL);
}

#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define NO_ADAPTIVE NULL
static void init_adaptive(struct shared *s) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&s->lock.mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
#else
#define NO_ADAPTIVE "this C library has no adaptive mutex (glibc has)"
#define init_adaptive init_mutex
#endif

struct lock {
    void (*init)(struct shared *);
    void (*run)(struct worker *, void *);
};

static const struct variant variants[] = {
    {"no_lock", NULL, &(const struct lock){init_nothing, run_no_lock}},
    {"atomic", NULL, &(const struct lock){init_nothing, run_atomic}},
    {"pthread_mutex", NULL, &(const struct lock){init_mutex, run_mutex}},
    {"pthread_mutex_adaptive", NO_ADAPTIVE, &(const struct lock){init_adaptive, run_mutex}},
    {"spin_ttas", NULL, &(const struct lock){init_nothing, run_ttas}},
    {"ticket", NULL, &(const struct lock){init_nothing, run_ticket}},
    {"mcs", NULL, &(const struct lock){init_nothing, run_mcs}},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL, &(const struct lock){init_nothing, run_no_lock}},
#endif
    {0},
};

static const char *const laws[] = {"constant", "exponential", NULL};

static const struct parameter parameters[] = {
    {.name = "sample-every",
     .type = PARAMETER_INT,
     .min = 1,
     .max = 1 << 20,
     .number = 64,
     .power_of_two = true},
    {.name = "window", .type = PARAMETER_INT, .min = 1, .max = 1 << 20, .number = 4096},
    {.name = "outside", .type = PARAMETER_INT, .min = 0, .max = 1000000, .number = 0},
    {.name = "outside-law", .type = PARAMETER_CHOICE, .choices = laws, .text = "constant"},
    {0},
};

static void prepare(void *shared, struct worker *workers, int iteration) {
    (void)workers;
    (void)iteration;
    struct shared *s = shared;
    s->window_start = CLOSED;
    memset(s->owner, 0xff, s->window * sizeof *s->owner); /* OWNER_NONE */
}

/* What the timed operations of all threads say about the time between release and acquire and about
 * the time at the lock. Every piece of work was timed clock to clock, and so holds one reading more
 * than itself, as does every sample. On the other hand each chunk reads the clock three times,
 * always outside the lock: that belongs to the time outside of all its operations. */
static void measure_outside(struct shared *s, const struct worker *workers, int iteration,
                            struct recorder *recorder) {
    double pieces = 0;
    double outside_ns = 0;
    double lock_ns = 0;
    for (int i = 0; i < s->threads; i++) {
        pieces += (double)workers[i].sample_count;
        outside_ns += (double)s->outside[i].timed_ns;
        lock_ns += (double)s->outside[i].beside_ns;
    }
    const double readings = 3 / (double)(s->untimed + 1);
    outside_ns += pieces * (readings - 1) * s->clock_read_ns;
    lock_ns -= pieces * s->clock_read_ns;
    recorder_measure(recorder, iteration, "", "timed_operations", pieces);
    recorder_measure(recorder, iteration, "", "outside_ns", outside_ns);
    recorder_measure(recorder, iteration, "", "outside_mean_ns", outside_ns / pieces);
    recorder_measure(recorder, iteration, "", "lock_mean_ns", lock_ns / pieces);
}

static void measure(void *shared, const struct worker *workers, int iteration,
                    struct recorder *recorder) {
    struct shared *s = shared;
    for (int i = 0; i < s->threads; i++) {
        s->scratch[i] = workers[i].operations;
    }
    recorder_measure(recorder, iteration, "", "gini", stats_gini(s->scratch, (size_t)s->threads));
    struct owner_summary window = owners_summarise(s->owner, s->window, s->threads, s->scratch);
    recorder_measure(recorder, iteration, "", "window_operations", (double)window.operations);
    if (window.operations > 0) {
        recorder_measure(recorder, iteration, "", "owner_runs", (double)window.runs);
    }
    if (window.reacquires > 0) {
        recorder_measure(recorder, iteration, "", "reacquire_operations", window.median_between);
    }
    if (s->outside) {
        measure_outside(s, workers, iteration, recorder);
    }
}

static void init_outside(struct shared *s, const struct trial *trial, struct recorder *recorder) {
    const int64_t outside_ns = trial_int(trial, "outside");
    if (outside_ns == 0) {
        return;
    }
    const bool exponential = strcmp(trial_text(trial, "outside-law"), "exponential") == 0;
    const double step_ns = work_step_ns();
    recorder_measure(recorder, WHOLE_TRIAL, "", "outside_step_ns", step_ns);
    s->clock_read_ns = clock_read_cost();
    s->outside = allocate((size_t)s->threads, sizeof *s->outside);
    for (int i = 0; i < s->threads; i++) {
        work_init(&s->outside[i], (double)outside_ns / step_ns, exponential, (uint64_t)i);
    }
}

static void check_outside(const struct shared *s, struct recorder *recorder) {
    uint64_t expected = 0;
    uint64_t actual = 0;
    for (int i = 0; i < s->threads; i++) {
        expected += work_expected(&s->outside[i]);
        actual += s->outside[i].a;
    }
    recorder_check_equal(recorder, "sum of the adds outside", (int64_t)expected, (int64_t)actual);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct lock *lock = trial->variant->implementation;
    if (strcmp(trial->variant->name, "no_lock") == 0 && trial->threads != 1) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--threads: '%d' is not accepted by no_lock: give 1, for without a lock more "
                    "threads lose updates",
                    trial->threads);
    }
    struct shared *s = allocate(1, sizeof *s);
    s->window = (uint64_t)trial_int(trial, "window");
    s->untimed = trial_int(trial, "sample-every") - 1;
    s->half_ns = trial->iteration_ns / 2;
    s->threads = trial->threads;
    s->owner = allocate(s->window, sizeof *s->owner);
    s->scratch = allocate(s->window + (size_t)trial->threads, sizeof *s->scratch);
    lock->init(s);
    init_outside(s, trial, recorder);
    const struct workload workload = {
        .shared = s, .prepare = prepare, .run = lock->run, .measure = measure};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->counter);
    if (s->outside) {
        check_outside(s, recorder);
    }
    free(s->outside);
    free(s->owner);
    free(s->scratch);
    free(s);
    return status;
}

const struct experiment experiment_lock_scaling = {
    .name = "lock_scaling", .variants = variants, .parameters = parameters, .run = run};
