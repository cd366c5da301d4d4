/*
 * atomic_increment: one counter, incremented by N threads without a lock.
 *
 * A timed operation's value is a residence time, see counter_kernel.h.
 *
 * Each variant is the instruction of its name (a test reads the program's code): a fetch-and-add whose result nobody
 * reads is compiled to LOCK ADD, one whose result is used to LOCK XADD. On other processors what is named for an
 * instruction of x86 is refused, and `cas_loop` is left.
 *
 * Run: harness/c/build/lab-harness atomic_increment --variant lock_xadd --threads 2 --warmup 5
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: an increment many times dearer than with --threads 1, because the line of the counter
 * travels between the cores.
 */
#include "counter_kernel.h"

struct shared {
    _Alignas(LAB_LINE) uint64_t counter;
    _Alignas(LAB_LINE) int64_t untimed; /* operations between two timed ones */
    int64_t *events;                    /* of each worker in its last iteration */
    int threads;
    uint64_t zero;     /* never written, which the compiler does not know */
    const char *event; /* of the variant */
};

/* What a thread keeps in registers while it counts. */
struct self {
    uint64_t next;  /* the counter as this thread left it */
    int64_t events; /* of this iteration */
    uint64_t zero;  /* as `struct shared` has it */
};

/* The value it returns tells whether another thread has been there since: that begins a run, and operations / runs is
 * how many operations a thread does per visit of the cache line. To look at it costs some cycles more than the
 * instruction, hence a variant of its own. */
static inline void operate_lock_xadd_runs(uint64_t *word, void *self) {
    struct self *me = self;
    uint64_t count = __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    me->events += count != me->next;
    me->next = count + 1;
}

static inline void operate_cas_loop(uint64_t *word, void *self) {
    increment_cas_loop(word, &((struct self *)self)->events);
}

/* The instruction without the load: it starts from the value that this thread left, and after a failure from the one
 * that the instruction has seen. */
static inline void operate_cmpxchg(uint64_t *word, void *self) {
    struct self *me = self;
    while (!__atomic_compare_exchange_n(word, &me->next, me->next + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        me->events++;
    }
    me->next++;
}

/* What an attempt of the loop does, but for the failure: load, an addition that needs the loaded value and always
 * succeeds, and a branch on whether another thread was faster between the two. The load takes the line to read it and
 * the addition takes it again to write it; a processor guesses the branch before the addition is done, and where it
 * guesses wrongly begins anew. So as many of these as complete, attempts of the loop can. Were `zero` known, the
 * addition would not wait for the load, and without the empty assembly the branch might become an addition. */
static inline void operate_load_xadd(uint64_t *word, void *self) {
    struct self *me = self;
    uint64_t loaded = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    uint64_t count = __atomic_fetch_add(word, (loaded & me->zero) + 1, __ATOMIC_SEQ_CST);
    if (__builtin_expect(count != loaded, false)) {
        me->events++;
        __asm__ volatile("" : "+r"(me->events));
    }
}

/* Named in the program, so that the test finds their code. */
#define KERNEL(name)                                                                                                   \
    __attribute__((noinline)) static void atomic_##name(struct worker *worker, void *shared) {                         \
        struct shared *s = shared;                                                                                     \
        struct self self = {.next = UINT64_MAX, .zero = s->zero};                                                      \
        counter_kernel(worker, s->untimed, operate_##name, &s->counter, &self);                                        \
        s->events[worker->index] = self.events;                                                                        \
    }
KERNEL(lock_add)
KERNEL(lock_xadd)
KERNEL(lock_xadd_runs)
KERNEL(cas_loop)
KERNEL(load_xadd)
KERNEL(cmpxchg)
#ifdef LAB_BROKEN_LOCK
KERNEL(broken)
#endif

#if defined(__x86_64__) || defined(__i386__)
#define ONLY_X86 NULL
#else
#define ONLY_X86 "LOCK ADD, LOCK XADD and LOCK CMPXCHG are instructions of x86 processors"
#endif

struct increment {
    void (*run)(struct worker *, void *);
    const char *event; /* what is counted beside operations, NULL for nothing */
};

static const struct variant variants[] = {
    {"lock_add", ONLY_X86, &(const struct increment){atomic_lock_add, NULL}},
    {"lock_xadd", ONLY_X86, &(const struct increment){atomic_lock_xadd, NULL}},
    {"lock_xadd_runs", ONLY_X86, &(const struct increment){atomic_lock_xadd_runs, "owner_runs"}},
    {"cas_loop", NULL, &(const struct increment){atomic_cas_loop, "failed_cas"}},
    {"load_xadd", ONLY_X86, &(const struct increment){atomic_load_xadd, "outdated_loads"}},
    {"cmpxchg", ONLY_X86, &(const struct increment){atomic_cmpxchg, "failed_cas"}},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL, &(const struct increment){atomic_broken, NULL}},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("sample-every", 1, 1 << 20, 1024),
    {0},
};

static void measure(void *shared, UNUSED const struct worker *workers, int iteration, struct recorder *recorder) {
    const struct shared *s = shared;
    int64_t sum = 0;
    for (int i = 0; i < s->threads; i++) {
        sum += s->events[i];
    }
    recorder_measure(recorder, iteration, "", s->event, (double)sum);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct increment *increment = trial->variant->implementation;
    struct shared *s = allocate(1, sizeof *s);
    s->untimed = trial_int(trial, "sample-every") - 1;
    s->threads = trial->threads;
    s->event = increment->event;
    s->events = allocate((size_t)trial->threads, sizeof *s->events);
    const struct workload workload = {.shared = s, .run = increment->run, .measure = s->event == NULL ? NULL : measure};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->counter);
    free(s->events);
    free(s);
    return status;
}

const struct experiment experiment_atomic_increment = {
    .name = "atomic_increment", .variants = variants, .parameters = parameters, .run = run};
