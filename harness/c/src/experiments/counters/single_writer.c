/*
 * single_writer: what a counter costs that one thread writes, beside one that several might write, and what reading it
 * costs (single_writer_readers.c).
 *
 * Each variant is the instruction of its comment: a test reads the program's code.
 *
 * Run: harness/c/build/lab-harness single_writer --variant release --warmup 5 --iterations 50
 *      --out /tmp/x.hlog
 * Expect: as cheap as plain on x86, and cheaper than volatile, whose fence waits until the store is
 * visible.
 */
#include "single_writer.h"
#include "counter_kernel.h"

#include <pthread.h>

struct shared {
    _Alignas(LAB_LINE) uint64_t word;
    _Alignas(LAB_LINE) pthread_mutex_t mutex;
    _Alignas(LAB_LINE) int64_t untimed; /* operations between two timed ones */
};

/* What a thread keeps in registers while it works. */
struct self {
    uint64_t count;
    pthread_mutex_t *mutex;
};

/* The control: nothing keeps the compiler from adding up a whole chunk and storing once. */
static inline void operate_folded(uint64_t *word, UNUSED void *self) {
    ++*word;
}

/* An addition that happens every time, but in a register: what a loop that is not folded and yet stores only at its end
 * would cost. */
static inline void operate_in_register(UNUSED uint64_t *word, void *self) {
    struct self *me = self;
    me->count++;
    __asm__ volatile("" : "+r"(me->count));
}

/* A load, an addition and a store every time. */
static inline void operate_plain(uint64_t *word, UNUSED void *self) {
    ++*word;
    compiler_barrier();
}

/* A release store, as Java's lazySet: on x86 a plain store, on aarch64 STLR. */
static inline void operate_release(uint64_t *word, UNUSED void *self) {
    uint64_t count = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, count + 1, __ATOMIC_RELEASE);
}

/* A store and a full fence, as HotSpot compiles a volatile store on x86. */
static inline void operate_volatile(uint64_t *word, UNUSED void *self) {
    uint64_t count = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, count + 1, __ATOMIC_RELAXED);
    fence_as_hotspot();
}

/* A sequentially consistent store, which compilers make one XCHG on x86; on aarch64 the STLR that `release` is too, and
 * that HotSpot's C2 stores a volatile field with. */
static inline void operate_seq_cst(uint64_t *word, UNUSED void *self) {
    uint64_t count = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, count + 1, __ATOMIC_SEQ_CST);
}

#if defined(__x86_64__) || defined(__i386__)
#define ONLY_X86 NULL
static inline void operate_mfence(uint64_t *word, UNUSED void *self) {
    ++*word;
    __asm__ volatile("mfence" ::: "memory");
}
#else
#define ONLY_X86 "MFENCE, LOCK ADD and LOCK XADD are instructions of x86 processors"
#define operate_mfence operate_volatile
#endif

/* The writer keeps its count to itself and only publishes it: a store without a load. */
static inline void operate_release_store(uint64_t *word, void *self) {
    __atomic_store_n(word, ++((struct self *)self)->count, __ATOMIC_RELEASE);
}

static inline void operate_cas_loop(uint64_t *word, UNUSED void *self) {
    int64_t failures = 0; /* not looked at, so that nothing counts them */
    increment_cas_loop(word, &failures);
}

static inline void operate_mutex(uint64_t *word, void *self) {
    pthread_mutex_t *mutex = ((struct self *)self)->mutex;
    pthread_mutex_lock(mutex);
    ++*word;
    pthread_mutex_unlock(mutex);
}

/* Named in the program, so that the test finds their code. */
#define KERNEL(name)                                                                                                   \
    __attribute__((noinline)) static void writer_##name(struct worker *worker, void *shared) {                         \
        struct shared *s = shared;                                                                                     \
        struct self self = {.count = s->word, .mutex = &s->mutex};                                                     \
        counter_kernel(worker, s->untimed, operate_##name, &s->word, &self);                                           \
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
    counter_kernel(worker, s->untimed, operate_in_register, &s->word, &self);
    s->word = self.count;
}

struct use {
    void (*run)(struct worker *, void *);
    bool shareable;                                          /* by more than one thread */
    int (*readers)(const struct trial *, struct recorder *); /* in place of `run` */
};

static const struct variant variants[] = {
    {"folded", NULL, &(const struct use){writer_folded, false, NULL}},
    {"in_register", NULL, &(const struct use){writer_in_register, false, NULL}},
    {"plain", NULL, &(const struct use){writer_plain, false, NULL}},
    {"release", NULL, &(const struct use){writer_release, false, NULL}},
    {"volatile", NULL, &(const struct use){writer_volatile, false, NULL}},
    {"seq_cst", NULL, &(const struct use){writer_seq_cst, false, NULL}},
    {"mfence", ONLY_X86, &(const struct use){writer_mfence, false, NULL}},
    {"release_store", NULL, &(const struct use){writer_release_store, false, NULL}},
    {"lock_add", ONLY_X86, &(const struct use){writer_lock_add, true, NULL}},
    {"lock_xadd", ONLY_X86, &(const struct use){writer_lock_xadd, true, NULL}},
    {"cas_loop", NULL, &(const struct use){writer_cas_loop, true, NULL}},
    {"mutex", NULL, &(const struct use){writer_mutex, true, NULL}},
    {"readers", NULL, &(const struct use){NULL, true, single_writer_readers}},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL, &(const struct use){writer_broken, true, NULL}},
    {"backward", NULL, &(const struct use){NULL, true, single_writer_backward}},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("sample-every", 1, 1 << 20, 1024),
    INT_PARAMETER("write-pause-us", 0, 1000000, 10),
    {0},
};

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct use *use = trial->variant->implementation;
    if (!use->shareable && trial->threads != 1) {
        return trial_refuse(trial, "threads", " by %s: give 1, for it has a single writer", trial->variant->name);
    }
    if (use->readers) {
        return use->readers(trial, recorder);
    }
    struct shared *s = allocate(1, sizeof *s);
    s->untimed = trial_int(trial, "sample-every") - 1;
    pthread_mutex_init(&s->mutex, NULL);
    const struct workload workload = {.shared = s, .run = use->run};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->word);
    pthread_mutex_destroy(&s->mutex);
    free(s);
    return status;
}

const struct experiment experiment_single_writer = {
    .name = "single_writer", .variants = variants, .parameters = parameters, .run = run};
