/*
 * The loops of lock_scaling: every kind of lock, the operation under it, and the two loops around an operation, without
 * and with work before it.
 */
#include "lock_scaling.h"

/* What an operation needs to know about its thread. */
struct self {
    struct mcs_node node;
    uint64_t *counter; /* that no other thread has */
    struct owner_log *log;
    uint64_t *next;
    bool oversubscribed;
};

/* What the lock guards: an honest load, add and store, and the thread's own look at who was in before it. Returns the
 * count before. */
static inline uint64_t increment(struct shared *s, struct self *self, bool logged) {
    uint64_t count = s->counter;
    s->counter = count + 1;
    if (logged) {
        owner_log_entered(self->log, self->next, count);
    }
    return count;
}

/* Without the barriers this would measure nothing at all. */
static inline uint64_t operate_no_lock(struct shared *s, struct self *self, bool logged) {
    compiler_barrier();
    uint64_t count = increment(s, self, logged);
    compiler_barrier();
    return count;
}

/* The control of threads that work outside: nothing is shared, so N of them do N times as much, or it is the host that
 * scales so. */
static inline uint64_t operate_own(UNUSED struct shared *s, struct self *self, UNUSED bool logged) {
    uint64_t count = *self->counter;
    *self->counter = count + 1;
    compiler_barrier();
    return count;
}

static inline uint64_t operate_mutex(struct shared *s, struct self *self, bool logged) {
    pthread_mutex_lock(&s->lock.mutex);
    uint64_t count = increment(s, self, logged);
    pthread_mutex_unlock(&s->lock.mutex);
    return count;
}

static inline uint64_t operate_ttas(struct shared *s, struct self *self, bool logged) {
    ttas_acquire(&s->lock.ttas, self->oversubscribed);
    uint64_t count = increment(s, self, logged);
    ttas_release(&s->lock.ttas);
    return count;
}

static inline uint64_t operate_ticket(struct shared *s, struct self *self, bool logged) {
    ticket_acquire(&s->lock.ticket, self->oversubscribed);
    uint64_t count = increment(s, self, logged);
    ticket_release(&s->lock.ticket);
    return count;
}

static inline uint64_t operate_mcs(struct shared *s, struct self *self, bool logged) {
    mcs_acquire(&s->lock.mcs, &self->node, self->oversubscribed);
    uint64_t count = increment(s, self, logged);
    mcs_release(&s->lock.mcs, &self->node, self->oversubscribed);
    return count;
}

/* The lock-free control: LOCK XADD on x86, LDADDAL on aarch64. There is no inside to read a clock in; it is read right
 * after the addition that found others to have been there. */
static inline uint64_t operate_atomic(struct shared *s, struct self *self, bool logged) {
    uint64_t count = __atomic_fetch_add(&s->counter, 1, __ATOMIC_SEQ_CST);
    if (logged) {
        owner_log_entered(self->log, self->next, count);
    }
    return count;
}

typedef uint64_t lock_operation(struct shared *, struct self *, bool logged);

/* The template of all kernels: `operate` and `logged` are constants wherever this is called, so that every variant
 * becomes two loops of its own with its lock inlined. No operation is timed. */
TEMPLATE void kernel(struct worker *worker, struct shared *s, lock_operation *operate, const bool logged) {
    uint64_t next = OWNER_NONE;
    struct self self = {.oversubscribed = worker->oversubscribed,
                        .counter = &s->own[worker->index].counter,
                        .log = owner_logs_of(s->logs, worker->index),
                        .next = &next};
    const int64_t chunk = s->chunk;
    int64_t operations = 0;
    int64_t now;
    do {
        for (int64_t k = 0; k < chunk; k++) {
            operate(s, &self, logged);
        }
        now = clock_ns();
        if (logged) {
            owner_log_ended(self.log, next, now);
        }
        operations += chunk;
    } while (now < worker->deadline_ns);
    worker->sample_count = 0;
    worker->operations = operations;
}

/* The same with work before every operation. Each is timed, and so is the work: the readings are part of the work
 * outside. */
TEMPLATE void kernel_outside(struct worker *worker, struct shared *s, lock_operation *operate) {
    struct self self = {.oversubscribed = worker->oversubscribed, .counter = &s->own[worker->index].counter};
    struct work *const mine = &s->outside[worker->index];
    struct owner_log *const log = owner_logs_of(s->logs, worker->index);
    int64_t *const samples = worker->samples;
    int64_t outside_ns = 0;
    int64_t lock_ns = 0;
    uint64_t count = 0;
    uint64_t next = OWNER_NONE;
    int64_t runs = 0;
    size_t sampled = 0;
    int64_t after = clock_ns();
    do {
        const int64_t released = after;
        work_do(mine, count);
        const int64_t before = clock_ns();
        count = operate(s, &self, false);
        after = clock_ns();
        runs += count != next;
        next = count + 1;
        samples[sampled++] = after - before;
        outside_ns += before - released;
        lock_ns += after - before;
        if (log) {
            owner_log_operation(log, before, after, count);
        }
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    mine->timed_ns = outside_ns;
    mine->beside_ns = lock_ns;
    s->own[worker->index].runs = runs;
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled;
}

#define KERNEL(name)                                                                                                   \
    static void run_##name(struct worker *worker, void *shared) {                                                      \
        struct shared *s = shared;                                                                                     \
        if (s->outside) {                                                                                              \
            kernel_outside(worker, s, operate_##name);                                                                 \
        } else if (owner_logs_of(s->logs, worker->index)) {                                                            \
            kernel(worker, s, operate_##name, true);                                                                   \
        } else {                                                                                                       \
            kernel(worker, s, operate_##name, false);                                                                  \
        }                                                                                                              \
    }
KERNEL(no_lock)
KERNEL(own)
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

const struct variant lock_scaling_variants[] = {
    {"no_lock", NULL, &(const struct lock){init_nothing, run_no_lock}},
    {"own_counter", NULL, &(const struct lock){init_nothing, run_own}},
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
