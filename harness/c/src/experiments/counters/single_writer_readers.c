/*
 * The variants of single_writer that read: N threads look at a word that a slow writer, which is no worker, sets to 1,
 * 2, 3, ...
 */
#include "counter_kernel.h"
#include "single_writer.h"

#include <pthread.h>

/* What one reader has seen. */
struct reader {
    _Alignas(LAB_LINE) uint64_t last;
    int64_t changes;
    int64_t decreases;
};

struct shared {
    _Alignas(LAB_LINE) uint64_t word;
    _Alignas(LAB_LINE) int64_t untimed; /* reads between two timed ones */
    struct reader *readers;
    int threads;
    int iterations; /* timed ones */
    /* the slow writer */
    pthread_t writer;
    int64_t pause_ns; /* between two of its writes */
    int64_t writes;   /* once it has ended */
    bool ended;
    _Alignas(LAB_LINE) bool stopping; /* it should end */
};

/* What a thread keeps in registers while it reads. */
struct self {
    uint64_t count; /* the last value it saw */
    struct reader *reader;
};

/* One read, and what it tells: a value may be as the one before or greater, never smaller. */
static inline void operate_read(uint64_t *word, void *self) {
    struct self *me = self;
    uint64_t seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (__builtin_expect(seen != me->count, 0)) {
        me->reader->changes++;
        me->reader->decreases += seen < me->count;
        me->count = seen;
    }
}

__attribute__((noinline)) static void writer_readers(struct worker *worker, void *shared) {
    struct shared *s = shared;
    struct reader *reader = &s->readers[worker->index];
    struct self self = {.count = reader->last, .reader = reader};
    if (s->ended) {
        operate_read(&s->word, &self);
    } else {
        counter_kernel(worker, s->untimed, operate_read, &s->word, &self);
    }
    reader->last = self.count;
}

/* The slow writer: 1, 2, 3, ... into the word, asleep in between, or as fast as it can where the pause is 0. It is
 * pinned to no CPU: asleep most of the time it runs on an idle one where there is one, and otherwise takes a few
 * microseconds from a reader; without a pause it needs its own. */
static void *write_slowly(void *shared) {
    struct shared *s = shared;
    const struct timespec pause = {s->pause_ns / 1000000000, s->pause_ns % 1000000000};
    uint64_t next = 0;
    do {
        __atomic_store_n(&s->word, ++next, __ATOMIC_RELEASE);
        if (s->pause_ns) {
            nanosleep(&pause, NULL);
        }
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

static void end_writer(struct shared *s) {
    if (!s->ended) {
        __atomic_store_n(&s->stopping, true, __ATOMIC_RELEASE);
        pthread_join(s->writer, NULL);
        s->ended = true;
    }
}

/* Before the iteration that is one more than are timed: the writer ends, and then every reader looks itself at what
 * must be the last value. It leaves no row. */
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

static void check_readers(const struct trial *trial, const struct shared *s, struct recorder *recorder) {
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

static int run_readers(const struct trial *trial, struct recorder *recorder, void *(*write)(void *)) {
    struct shared *s = allocate(1, sizeof *s);
    s->untimed = trial_int(trial, "sample-every") - 1;
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
        free(s);
        return fail(STATUS_NO_RESOURCES, "the writer's thread cannot be started: %s", strerror(error));
    }
    int status = workers_run(&one_more, recorder, &workload, NULL);
    end_writer(s);
    double elapsed = (double)(clock_ns() - started);
    recorder_measure(recorder, WHOLE_TRIAL, "", "writes", (double)s->writes);
    recorder_measure(recorder, WHOLE_TRIAL, "", "write_period", elapsed / (double)s->writes);
    check_readers(trial, s, recorder);
    free(s->readers);
    free(s);
    return status;
}

int single_writer_readers(const struct trial *trial, struct recorder *recorder) {
    return run_readers(trial, recorder, write_slowly);
}

#ifdef LAB_BROKEN_LOCK
int single_writer_backward(const struct trial *trial, struct recorder *recorder) {
    return run_readers(trial, recorder, write_backward);
}
#endif
