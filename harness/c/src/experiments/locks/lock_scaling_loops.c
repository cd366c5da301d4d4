/*
 * The loops of lock_scaling: every kind of lock, the operation under it, and the two loops around
 * an operation, without and with work before it.
 */
#include "clock.h"
#include "cpu.h"
#include "lock_scaling.h"

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

/* The lock-free control: LOCK XADD on x86, LDADDAL on aarch64. There is no critical section to sign
 * in, so others may pass between the addition that opens the window and its opening: those few
 * entries stay unsigned and are left out. */
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

const struct variant lock_scaling_variants[] = {
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
