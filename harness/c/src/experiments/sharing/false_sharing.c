/*
 * false_sharing: every thread writes its own word, counting down, and no other; the words lie `distance` bytes apart in
 * one array. In array_read the first thread alone writes, and the others read their own words.
 *
 * The array begins at the start of a page, so that words 64 bytes apart lie in the two lines of one aligned pair and
 * words 128 bytes apart in different pairs. A sample is the time of a batch of 4096 writes: the clock is read once per
 * batch, which also ends the iteration.
 *
 * Run: harness/c/build/lab-harness false_sharing --variant array_volatile --threads 2 --distance 8
 *      --warmup 5 --iterations 50 --out /tmp/x.hlog
 * Expect: batches far longer than with --distance 128, where no two words share a line or a pair of
 * lines.
 */
#include "experiment.h"

enum { BATCH = 4096, PAGE = 4096, LINE = 64, PAIR = 128 };

struct shared {
    unsigned char *array; /* a page before the first word and one behind the last */
    int64_t distance;     /* bytes */
    int threads;
    int64_t *written; /* by each thread, up to now */
    bool one_writes;  /* the first thread; the others read */
    int64_t strange;  /* reads that saw another value than their own word's */
    int64_t held;     /* words found to hold what their own thread had written last */
};

static uint64_t *word(const struct shared *s, int thread) {
    return (uint64_t *)(s->array + PAGE + thread * s->distance);
}

/* What a word holds at first. The bits from 48 upwards are the writer's signature, for no thread writes 2^48 times: a
 * word that somebody else wrote shows it. */
static uint64_t start(int thread) {
    return (uint64_t)(thread + 1) << 48;
}

/* What a kernel does in a loop, with a word and the value that the thread has for it: `value` is what was written last,
 * or what a reader expects. Returns 1 for a read that saw another value, else 0.
 *
 * Atomic stores and loads are neither removed nor merged by gcc and clang, though each store is overwritten by the
 * next: every one of the loop is executed. */
typedef int64_t access_word(uint64_t *mine, uint64_t *value);

/* On x86 one XCHG; the JVM's volatile store is a MOV and a locked instruction on the stack. Both wait until the store
 * is visible. On aarch64 STLR, the JVM's and ours, which does not wait. */
static inline int64_t write_volatile(uint64_t *mine, uint64_t *value) {
    __atomic_store_n(mine, --*value, __ATOMIC_SEQ_CST);
    return 0;
}

/* On x86 a plain MOV, which waits in the store buffer while the thread goes on. On aarch64 STLR, as of
 * write_volatile(). */
static inline int64_t write_release(uint64_t *mine, uint64_t *value) {
    __atomic_store_n(mine, --*value, __ATOMIC_RELEASE);
    return 0;
}

/* LOCK SUB on x86, for nobody uses the result; LDADDAL on aarch64. */
static inline int64_t write_add(uint64_t *mine, UNUSED uint64_t *value) {
    __atomic_fetch_sub(mine, 1, __ATOMIC_SEQ_CST);
    return 0;
}

static inline int64_t read_own(uint64_t *mine, uint64_t *value) {
    return __atomic_load_n(mine, __ATOMIC_RELAXED) != *value;
}

/* The template of all kernels: `once` is a constant wherever this is called. Returns how many reads saw another value
 * than the word's own. */
TEMPLATE int64_t kernel(struct worker *worker, const struct shared *s, uint64_t value, access_word *once) {
    uint64_t *const mine = word(s, worker->index);
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t strange = 0;
    int64_t before = clock_ns();
    int64_t now;
    do {
        for (int i = 0; i < BATCH; i++) {
            strange += once(mine, &value);
        }
        now = clock_ns();
        samples[sampled++] = now - before;
        before = now;
    } while (now < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * BATCH;
    return strange;
}

TEMPLATE void write_on(struct worker *worker, const struct shared *s, access_word *once) {
    (void)kernel(worker, s, __atomic_load_n(word(s, worker->index), __ATOMIC_RELAXED), once);
}

#define KERNEL(name)                                                                                                   \
    static void run_##name(struct worker *worker, void *shared) {                                                      \
        write_on(worker, shared, write_##name);                                                                        \
    }
KERNEL(volatile)
KERNEL(release)
KERNEL(add)

/* A word that nobody writes holds its first value for ever. */
static void run_read(struct worker *worker, void *shared) {
    struct shared *s = shared;
    if (worker->index == 0) {
        write_on(worker, s, write_release);
        return;
    }
    int64_t strange = kernel(worker, s, start(worker->index), read_own);
    __atomic_fetch_add(&s->strange, strange, __ATOMIC_RELAXED);
}

#ifdef LAB_BROKEN_WORDS
/* All threads write the first thread's word. */
static void run_broken(struct worker *worker, void *shared) {
    const struct shared *s = shared;
    struct shared first = *s;
    first.distance = 0;
    write_on(worker, &first, write_volatile);
}
#endif

struct writing {
    void (*run)(struct worker *, void *);
    bool one_writes;
};

static const struct variant variants[] = {
    {"array_volatile", NULL, &(const struct writing){run_volatile, false}},
    {"array_release", NULL, &(const struct writing){run_release, false}},
    {"array_add", NULL, &(const struct writing){run_add, false}},
    {"array_read", NULL, &(const struct writing){run_read, true}},
#ifdef LAB_BROKEN_WORDS
    {"broken", NULL, &(const struct writing){run_broken, false}},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("distance", 8, 4096, LINE),
    {0},
};

/* How many words lie in an aligned block of `block` bytes with another. */
static int sharing(const struct shared *s, uintptr_t block) {
    int shared = 0;
    for (int i = 0; i < s->threads; i++) {
        uintptr_t mine = (uintptr_t)word(s, i) / block;
        /* The words lie in a row: the nearest are those before and after. */
        bool before = i > 0 && (uintptr_t)word(s, i - 1) / block == mine;
        bool after = i + 1 < s->threads && (uintptr_t)word(s, i + 1) / block == mine;
        shared += before || after;
    }
    return shared;
}

static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct shared *s = shared;
    for (int i = 0; i < s->threads; i++) {
        s->written[i] += i > 0 && s->one_writes ? 0 : workers[i].operations;
        s->held += __atomic_load_n(word(s, i), __ATOMIC_ACQUIRE) == start(i) - (uint64_t)s->written[i];
    }
    if (s->threads > 1) {
        recorder_measure(recorder, iteration, "", "smallest_distance", (double)s->distance);
        recorder_measure(recorder, iteration, "", "share_line", sharing(s, LINE));
        recorder_measure(recorder, iteration, "", "share_pair", sharing(s, PAIR));
    }
}

static int run(const struct trial *trial, struct recorder *recorder) {
    struct shared s = {.distance = trial_int(trial, "distance"), .threads = trial->threads};
    if (s.distance % (int64_t)sizeof(uint64_t) != 0) {
        return trial_refuse(trial, "distance", ": give a multiple of 8");
    }
    size_t bytes = 2 * PAGE + (size_t)(s.threads * s.distance);
    bytes += (PAGE - bytes % PAGE) % PAGE;
    s.array = aligned_alloc(PAGE, bytes);
    if (!s.array) {
        return fail(STATUS_NO_RESOURCES, "no memory for an array of %zu bytes", bytes);
    }
    s.written = allocate((size_t)s.threads, sizeof *s.written);
    for (int i = 0; i < s.threads; i++) {
        __atomic_store_n(word(&s, i), start(i), __ATOMIC_RELEASE);
    }
    const struct writing *writing = trial->variant->implementation;
    s.one_writes = writing->one_writes;
    const struct workload workload = {.shared = &s, .run = writing->run, .measure = measure};
    int status = workers_run(trial, recorder, &workload, NULL);
    int64_t counted = 0;
    for (int i = 0; i < s.threads; i++) {
        counted += (int64_t)(start(i) - *word(&s, i));
    }
    recorder_check_equal(recorder, "words that held their own thread's last write",
                         (int64_t)s.threads * (trial->warmup + trial->iterations), s.held);
    int64_t written = 0;
    for (int i = 0; i < s.threads; i++) {
        written += s.written[i];
    }
    recorder_check_equal(recorder, "words counted down by all writes", written, counted);
    recorder_check_equal(recorder, "reads that saw another value than their own word's", 0, s.strange);
    free(s.written);
    free(s.array);
    return status;
}

const struct experiment experiment_false_sharing = {
    .name = "false_sharing", .variants = variants, .parameters = parameters, .run = run};
