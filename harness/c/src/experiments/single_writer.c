/*
 * single_writer: what a counter costs that one thread writes, beside one that several might write,
 * and what reading it costs.
 *
 * The last operation of every `sample-every` is timed, clock to clock; the reading after it ends
 * the iteration when its time is over. Each variant is the instruction of its comment: a test reads
 * the program's code.
 */
#include "../clock.h"
#include "../experiment.h"
#include "../workers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What one reader has seen. */
struct reader {
    _Alignas(LAB_LINE) uint64_t last;
    int64_t changes;
    int64_t decreases;
};

struct shared {
    _Alignas(LAB_LINE) uint64_t word;
    _Alignas(LAB_LINE) pthread_mutex_t mutex;
    _Alignas(LAB_LINE) int64_t untimed; /* operations between two timed ones */
    struct reader *readers;
    int threads;
    int iterations; /* timed ones */
    /* the slow writer of `readers` */
    pthread_t writer;
    int64_t pause_ns; /* between two of its writes */
    int64_t writes;   /* once it has ended */
    bool ended;
    _Alignas(LAB_LINE) bool stopping; /* it should end */
};

/* What a thread keeps in registers while it works. */
struct self {
    uint64_t count;
    struct reader *reader;
};

/* Stops the compiler from carrying the word's value from one increment to the next and from
 * dropping stores. No instruction. */
static inline void compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/* The control: nothing keeps the compiler from adding up a whole chunk and storing once. */
static inline void operate_folded(struct shared *s, struct self *self) {
    (void)self;
    s->word++;
}

/* An addition that happens every time, but in a register: what a loop that is not folded and yet
 * stores only at its end would cost. */
static inline void operate_in_register(struct shared *s, struct self *self) {
    (void)s;
    self->count++;
    __asm__ volatile("" : "+r"(self->count));
}

static inline void operate_plain(struct shared *s, struct self *self) {
    (void)self;
    s->word++;
    compiler_barrier();
}

/* A release store, as Java's lazySet: on x86 a plain store. */
static inline void operate_release(struct shared *s, struct self *self) {
    (void)self;
    uint64_t count = __atomic_load_n(&s->word, __ATOMIC_RELAXED);
    __atomic_store_n(&s->word, count + 1, __ATOMIC_RELEASE);
}

/* A store and a full fence, as HotSpot compiles a volatile store: on x86 the fence is a locked
 * instruction that changes nothing, on the stack. */
static inline void operate_volatile(struct shared *s, struct self *self) {
    (void)self;
    uint64_t count = __atomic_load_n(&s->word, __ATOMIC_RELAXED);
    __atomic_store_n(&s->word, count + 1, __ATOMIC_RELAXED);
#if defined(__x86_64__)
    __asm__ volatile("lock addl $0, -64(%%rsp)" ::: "memory", "cc");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* A sequentially consistent store, which compilers make one XCHG on x86. */
static inline void operate_seq_cst(struct shared *s, struct self *self) {
    (void)self;
    uint64_t count = __atomic_load_n(&s->word, __ATOMIC_RELAXED);
    __atomic_store_n(&s->word, count + 1, __ATOMIC_SEQ_CST);
}

#if defined(__x86_64__) || defined(__i386__)
#define ONLY_X86 NULL
static inline void operate_mfence(struct shared *s, struct self *self) {
    (void)self;
    s->word++;
    __asm__ volatile("mfence" ::: "memory");
}
#else
#define ONLY_X86 "MFENCE, LOCK ADD and LOCK XADD are instructions of x86 processors"
#define operate_mfence operate_volatile
#endif

/* The writer keeps its count to itself and only publishes it: a store without a load. */
static inline void operate_release_store(struct shared *s, struct self *self) {
    __atomic_store_n(&s->word, ++self->count, __ATOMIC_RELEASE);
}

static inline void operate_lock_add(struct shared *s, struct self *self) {
    (void)self;
    __atomic_fetch_add(&s->word, 1, __ATOMIC_SEQ_CST);
}

/* Its result is used: otherwise the compiler makes it LOCK ADD. */
static inline void operate_lock_xadd(struct shared *s, struct self *self) {
    self->count = __atomic_fetch_add(&s->word, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" ::"r"(self->count));
}

static inline void operate_cas_loop(struct shared *s, struct self *self) {
    (void)self;
    uint64_t count;
    do {
        count = __atomic_load_n(&s->word, __ATOMIC_SEQ_CST);
    } while (!__atomic_compare_exchange_n(&s->word, &count, count + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
}

static inline void operate_mutex(struct shared *s, struct self *self) {
    (void)self;
    pthread_mutex_lock(&s->mutex);
    s->word++;
    pthread_mutex_unlock(&s->mutex);
}

#ifdef LAB_BROKEN_LOCK
/* Load and store with time for others between them. */
static inline void operate_broken(struct shared *s, struct self *self) {
    (void)self;
    uint64_t count = __atomic_load_n(&s->word, __ATOMIC_RELAXED);
    sched_yield();
    __atomic_store_n(&s->word, count + 1, __ATOMIC_RELAXED);
}
#endif

/* One read, and what it tells: a value may be as the one before or greater, never smaller. */
static inline void operate_read(struct shared *s, struct self *self) {
    uint64_t seen = __atomic_load_n(&s->word, __ATOMIC_SEQ_CST);
    if (__builtin_expect(seen != self->count, 0)) {
        self->reader->changes++;
        self->reader->decreases += seen < self->count;
        self->count = seen;
    }
}

/* The template of all kernels: `operate` is a constant wherever this is called, so that every
 * variant becomes a loop of its own with its instruction inlined. */
static inline __attribute__((always_inline)) void
kernel(struct worker *worker, struct shared *s, struct self *self,
       void (*operate)(struct shared *, struct self *)) {
    const int64_t untimed = s->untimed;
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int64_t k = 0; k < untimed; k++) {
            operate(s, self);
        }
        int64_t before = clock_ns();
        operate(s, self);
        after = clock_ns();
        samples[sampled++] = after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * (untimed + 1);
}

/* Named in the program, so that the test finds their code. */
#define KERNEL(name)                                                                               \
    __attribute__((noinline)) static void writer_##name(struct worker *worker, void *shared) {     \
        struct self self = {.count = ((struct shared *)shared)->word};                             \
        kernel(worker, shared, &self, operate_##name);                                             \
    }
KERNEL(folded)
KERNEL(plain)
KERNEL(release)
KERNEL(volatile)
KERNEL(seq_cst)
KERNEL(mfence)
KERNEL(release_store)
KERNEL(lock_add)
KERNEL(lock_xadd)
KERNEL(cas_loop)
KERNEL(mutex)
#ifdef LAB_BROKEN_LOCK
KERNEL(broken)
#endif

__attribute__((noinline)) static void writer_in_register(struct worker *worker, void *shared) {
    struct shared *s = shared;
    struct self self = {.count = s->word};
    kernel(worker, s, &self, operate_in_register);
    s->word = self.count;
}

__attribute__((noinline)) static void writer_readers(struct worker *worker, void *shared) {
    struct shared *s = shared;
    struct reader *reader = &s->readers[worker->index];
    struct self self = {.count = reader->last, .reader = reader};
    if (s->ended) {
        operate_read(s, &self);
    } else {
        kernel(worker, s, &self, operate_read);
    }
    reader->last = self.count;
}

/* The slow writer: 1, 2, 3, ... into the word, asleep in between. It is pinned to no CPU: it runs
 * on an idle one where there is one, and otherwise takes a few microseconds from a reader. */
static void *write_slowly(void *shared) {
    struct shared *s = shared;
    const struct timespec pause = {s->pause_ns / 1000000000, s->pause_ns % 1000000000};
    uint64_t next = 0;
    do {
        __atomic_store_n(&s->word, ++next, __ATOMIC_RELEASE);
        nanosleep(&pause, NULL);
    } while (!__atomic_load_n(&s->stopping, __ATOMIC_ACQUIRE));
    s->writes = (int64_t)next;
    return NULL;
}

#ifdef LAB_BROKEN_LOCK
/* Counts down, from far above what a reader has seen. */
static void *write_backward(void *shared) {
    struct shared *s = shared;
    bool last;
    do {
        last = __atomic_load_n(&s->stopping, __ATOMIC_ACQUIRE);
        __atomic_store_n(&s->word, UINT64_MAX - (uint64_t)++s->writes, __ATOMIC_RELEASE);
        sched_yield();
    } while (!last);
    return NULL;
}
#endif

static const struct variant variants[] = {
    {"folded", NULL},       {"in_register", NULL},   {"plain", NULL},      {"release", NULL},
    {"volatile", NULL},     {"seq_cst", NULL},       {"mfence", ONLY_X86}, {"release_store", NULL},
    {"lock_add", ONLY_X86}, {"lock_xadd", ONLY_X86}, {"cas_loop", NULL},   {"mutex", NULL},
    {"readers", NULL},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL},       {"backward", NULL},
#endif
    {NULL, NULL},
};

/* Beside `variants`, in the same order. */
static const struct {
    void (*run)(struct worker *, void *);
    bool shareable; /* by more than one thread */
    void *(*writer)(void *);
} implementations[] = {
    {writer_folded, false, NULL},         {writer_in_register, false, NULL},
    {writer_plain, false, NULL},          {writer_release, false, NULL},
    {writer_volatile, false, NULL},       {writer_seq_cst, false, NULL},
    {writer_mfence, false, NULL},         {writer_release_store, false, NULL},
    {writer_lock_add, true, NULL},        {writer_lock_xadd, true, NULL},
    {writer_cas_loop, true, NULL},        {writer_mutex, true, NULL},
    {writer_readers, true, write_slowly},
#ifdef LAB_BROKEN_LOCK
    {writer_broken, true, NULL},          {writer_readers, true, write_backward},
#endif
};

static const struct parameter parameters[] = {
    {.name = "sample-every", .type = PARAMETER_INT, .min = 1, .max = 1 << 20, .number = 1024},
    {.name = "write-pause-us", .type = PARAMETER_INT, .min = 1, .max = 1000000, .number = 10},
    {0},
};

static void end_writer(struct shared *s) {
    if (!s->ended) {
        __atomic_store_n(&s->stopping, true, __ATOMIC_RELEASE);
        pthread_join(s->writer, NULL);
        s->ended = true;
    }
}

/* Before the iteration that is one more than are timed: the writer ends, and then every reader
 * looks itself at what must be the last value. It leaves no row. */
static void end_readers(void *shared, struct worker *workers, int iteration) {
    struct shared *s = shared;
    if (iteration < s->iterations) {
        return;
    }
    end_writer(s);
    for (int i = 0; i < s->threads; i++) {
        workers[i].series[0] = '\0';
    }
}

static void check_readers(const struct trial *trial, const struct shared *s,
                          struct recorder *recorder) {
    int64_t decreases = 0;
    for (int i = 0; i < trial->threads; i++) {
        decreases += s->readers[i].decreases;
    }
    recorder_check_equal(recorder, "values that were smaller than the one before", 0, decreases);
    for (int i = 0; i < trial->threads; i++) {
        char text[64];
        const struct reader *reader = &s->readers[i];
        snprintf(text, sizeof text, "t%d", i);
        recorder_measure(recorder, WHOLE_TRIAL, text, "values_seen", (double)reader->changes);
        snprintf(text, sizeof text, "last value of reader %d is the writer's", i);
        recorder_check_equal(recorder, text, s->writes, (int64_t)reader->last);
    }
}

static int run_readers(const struct trial *trial, struct shared *s, struct recorder *recorder,
                       void *(*write)(void *)) {
    s->readers = allocate((size_t)trial->threads, sizeof *s->readers);
    s->pause_ns = trial_int(trial, "write-pause-us") * 1000;
    const struct workload workload = {.shared = s, .prepare = end_readers, .run = writer_readers};
    struct trial one_more = *trial;
    one_more.iterations++;
    s->threads = trial->threads;
    s->iterations = trial->warmup + trial->iterations;
    int64_t started = clock_ns();
    int error = pthread_create(&s->writer, NULL, write, s);
    if (error) {
        free(s->readers);
        return fail(STATUS_NO_RESOURCES, "the writer's thread cannot be started: %s",
                    strerror(error));
    }
    int status = workers_run(&one_more, recorder, &workload, NULL);
    end_writer(s);
    double elapsed = (double)(clock_ns() - started);
    recorder_measure(recorder, WHOLE_TRIAL, "", "writes", (double)s->writes);
    recorder_measure(recorder, WHOLE_TRIAL, "", "write_period", elapsed / (double)s->writes);
    check_readers(trial, s, recorder);
    free(s->readers);
    return status;
}

static int run_counter(const struct trial *trial, struct shared *s, struct recorder *recorder,
                       void (*operate)(struct worker *, void *)) {
    const struct workload workload = {.shared = s, .run = operate};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->word);
    return status;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    size_t which = (size_t)(trial->variant - variants);
    if (!implementations[which].shareable && trial->threads != 1) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--threads: '%d' is not accepted by %s: give 1, for it has a single writer",
                    trial->threads, trial->variant->name);
    }
    struct shared *s = allocate(1, sizeof *s);
    s->untimed = trial_int(trial, "sample-every") - 1;
    pthread_mutex_init(&s->mutex, NULL);
    int status = implementations[which].writer
                     ? run_readers(trial, s, recorder, implementations[which].writer)
                     : run_counter(trial, s, recorder, implementations[which].run);
    pthread_mutex_destroy(&s->mutex);
    free(s);
    return status;
}

const struct experiment experiment_single_writer = {
    .name = "single_writer", .variants = variants, .parameters = parameters, .run = run};
