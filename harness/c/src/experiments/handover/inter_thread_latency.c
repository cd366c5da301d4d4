/*
 * inter_thread_latency: ping-pong over two words on different cache lines (handover.h).
 *
 * The variants differ in how a side writes its word, and are the twins of the Java ones (but atomic_xadd, which has
 * none), so that a difference between languages is one of compilers. Waiting is an acquire load in all of them, with or
 * without a pause in every turn (`spin`).
 *
 * Run: harness/c/build/lab-harness inter_thread_latency --variant release_acquire --threads 2
 *      --cpus 0,1 --warmup 5 --iterations 50 --out /tmp/x.hlog
 * Expect: values, which are round trips, of about twice the time per operation, which is one way;
 * with --cpus 0 both become those of the scheduler.
 */
#include "handover.h"

struct shared {
    struct handover handover;
    /* Of the pipeline: one word of each line of a stage's working set is read. */
    int64_t *data[2];
    int64_t words;
};

enum { WORDS_PER_LINE = 8 };

/* What `++` of a volatile field is in Java on x86: load, add, store, HotSpot's full fence. Only this side writes the
 * word: nothing can come between load and store. */
static inline void pass_volatile_increment(struct handover *h, int side, UNUSED int64_t number) {
    int64_t *word = &h->word[side].value;
    __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_ACQUIRE) + 1, __ATOMIC_RELEASE);
    fence_as_hotspot();
}

/* LOCK ADD on x86: the old value is not wanted. Of aarch64's instructions (LDADDAL) none leaves it out in this order:
 * there atomic_add and atomic_xadd are one. */
static inline void pass_atomic_add(struct handover *h, int side, UNUSED int64_t number) {
    __atomic_fetch_add(&h->word[side].value, 1, __ATOMIC_SEQ_CST);
}

/* LOCK XADD on x86, for the new value is wanted: the word counts what this side has handed over. So did the published
 * program, whose loop went on with what __sync_add_and_fetch gave it. */
static inline void pass_atomic_xadd(struct handover *h, int side, int64_t number) {
    int64_t count = __atomic_add_fetch(&h->word[side].value, 1, __ATOMIC_SEQ_CST);
    if (__builtin_expect(count != number, 0)) {
        h->side[side].faults++;
    }
}

static inline void pass_release_acquire(struct handover *h, int side, int64_t number) {
    __atomic_store_n(&h->word[side].value, number, __ATOMIC_RELEASE);
}

/* What is handed over depends on the sum, so that the reading can neither be left out nor go unchecked. */
static inline void pass_pipeline(struct handover *h, int side, int64_t number) {
    const struct shared *s = (const struct shared *)h;
    int64_t left = s->words / WORDS_PER_LINE;
    for (int64_t i = 0; i < s->words; i += WORDS_PER_LINE) {
        left -= s->data[side][i];
    }
    pass_release_acquire(h, side, number + left);
}

static inline int64_t await_busy(struct handover *h, const struct worker *worker, int side, int64_t previous) {
    return handover_spin(h, worker, &h->word[side].value, previous, false);
}

static inline int64_t await_hint(struct handover *h, const struct worker *worker, int side, int64_t previous) {
    return handover_spin(h, worker, &h->word[side].value, previous, true);
}

#define KERNEL(name)                                                                                                   \
    static void run_##name##_busy(struct worker *worker, void *shared) {                                               \
        handover_run(worker, shared, pass_##name, await_busy);                                                         \
    }                                                                                                                  \
    static void run_##name##_hint(struct worker *worker, void *shared) {                                               \
        handover_run(worker, shared, pass_##name, await_hint);                                                         \
    }
KERNEL(volatile_increment)
KERNEL(atomic_add)
KERNEL(atomic_xadd)
KERNEL(release_acquire)
KERNEL(pipeline)

#ifdef LAB_BROKEN_HANDOVER
#include "broken/handover.h"
#endif

/* One way of passing with each way of waiting. */
struct passing {
    void (*busy)(struct worker *, void *);
    void (*hint)(struct worker *, void *);
};
#define PASSING(name) &(const struct passing){run_##name##_busy, run_##name##_hint}

static const struct variant variants[] = {
    {"volatile_increment", NULL, PASSING(volatile_increment)},
    {"atomic_add", NULL, PASSING(atomic_add)},
    {"atomic_xadd", NULL, PASSING(atomic_xadd)},
    {"release_acquire", NULL, PASSING(release_acquire)},
    {"pipeline", NULL, PASSING(pipeline)},
#ifdef LAB_BROKEN_HANDOVER
    {"skipping", NULL, PASSING(skipping)},
    {"losing", NULL, PASSING(losing)},
#endif
    {0},
};

static const char *const spins[] = {"busy", "hint", NULL};

static const struct parameter parameters[] = {
    CHOICE_PARAMETER("spin", spins, "busy"),
    INT_PARAMETER("sample-every", 1, 1 << 20, 64),
    INT_PARAMETER("working-set-kib", 1, 1 << 16, 128),
    {0},
};

static int run(const struct trial *trial, struct recorder *recorder) {
    if (trial->threads != 2) {
        return trial_refuse(trial, "threads", ": give 2, one per side");
    }
    const struct passing *passing = trial->variant->implementation;
    bool hint = strcmp(trial_text(trial, "spin"), "hint") == 0;
    struct shared *s = allocate(1, sizeof *s);
    s->handover.sample_every = trial_int(trial, "sample-every");
    s->words = trial_int(trial, "working-set-kib") * 1024 / (int64_t)sizeof(int64_t);
    for (int side = PING; side <= PONG; side++) {
        s->data[side] = allocate((size_t)s->words, sizeof *s->data[side]);
        for (int64_t i = 0; i < s->words; i++) {
            s->data[side][i] = 1;
        }
    }
    const struct workload workload = {.shared = s, .run = hint ? passing->hint : passing->busy};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    handover_check(&s->handover, recorder, operations);
    recorder_check_equal(recorder, "ping word equals ping hand-overs", s->handover.side[PING].number,
                         s->handover.word[PING].value);
    recorder_check_equal(recorder, "pong word equals pong hand-overs", s->handover.side[PONG].number,
                         s->handover.word[PONG].value);
    free(s->data[PING]);
    free(s->data[PONG]);
    free(s);
    return status;
}

const struct experiment experiment_inter_thread_latency = {
    .name = "inter_thread_latency", .variants = variants, .parameters = parameters, .run = run};
