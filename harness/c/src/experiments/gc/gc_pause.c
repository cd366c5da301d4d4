/*
 * gc_pause: how long a program that allocates modestly is kept waiting; here without a collector.
 *
 * The twin of Java's `paced`: operations at fixed times, by a thread that spins until each is due. An operation makes
 * small arrays; most are dropped at once, every so many goes to the live set, from which the oldest leaves. malloc and
 * free take the place of allocation and collector, so what keeps this program waiting is the allocator and the host.
 *
 * A value of series `late` is the time from when an operation was due to its completion, one of `service` that from
 * when it really began. Nothing is skipped or re-based: after an absence all that fell due in it is done at once, and
 * each counts from its own time.
 *
 * Checks: operations done are those that were due; every live array is where it belongs.
 *
 * Run: harness/c/build/lab-harness gc_pause --variant paced --warmup 6 --iterations 16
 *      --iteration-ms 100 --out /tmp/x.hlog
 * Expect: what the host takes from a thread that spins (clock, variant idle), and little more.
 */
#include "garbage.h"
#include "pin.h"

enum { MOST = 1 << 20 }; /* operations of an iteration */

struct shared {
    const struct trial *trial;
    struct garbage garbage;
    int64_t period_ns;
    int64_t operations; /* of an iteration */
    int64_t *service;   /* samples of this iteration */
    /* Of the measured iterations. */
    int64_t watched_ns, longest_late_ns, longest_service_ns;
    /* Processor time of other threads than the worker, and the clock, when they began. */
    int64_t others_ns, since_ns;
};

static int64_t used_by_others(void) {
    return clock_of(CLOCK_PROCESS_CPUTIME_ID) - clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct shared *s = shared;
    if (iteration == 0) {
        garbage_fill(&s->garbage);
    }
    if (iteration == s->trial->warmup) {
        s->others_ns = used_by_others();
        s->since_ns = clock_ns();
    }
}

static void run_paced(struct worker *worker, void *shared) {
    struct shared *s = shared;
    int64_t *const late = worker->samples;
    int64_t *const service = s->service;
    const int64_t start = worker->start_ns;
    int64_t now = start;
    for (int64_t k = 0; k < s->operations; k++) {
        const int64_t due = start + k * s->period_ns;
        while (now < due) {
            cpu_relax();
            now = clock_ns();
        }
        const int64_t begun = now;
        if (!(garbage_has(&s->garbage, SKIPPING) && k % GARBAGE_RARE == 0)) {
            garbage_operate(&s->garbage);
        }
        now = clock_ns();
        late[k] = now - due;
        service[k] = now - begun;
    }
    worker->sample_count = (size_t)s->operations;
    worker->operations = s->operations;
}

static int64_t longest(int64_t so_far, const int64_t *samples, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        so_far = samples[i] > so_far ? samples[i] : so_far;
    }
    return so_far;
}

static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct shared *s = shared;
    const int64_t watched_ns = workers->end_ns - workers->start_ns;
    recorder_row(recorder, iteration, iteration_phase(s->trial, iteration), "service", workers->start_ns, watched_ns,
                 s->operations, s->service, (size_t)s->operations);
    recorder_measure(recorder, iteration, "", "watched_ns", (double)watched_ns);
    recorder_measure(recorder, iteration, "", "allocated_bytes",
                     (double)(s->operations * s->garbage.arrays * GARBAGE_BYTES));
    if (iteration >= s->trial->warmup) {
        s->watched_ns += watched_ns;
        s->longest_late_ns = longest(s->longest_late_ns, workers->samples, s->operations);
        s->longest_service_ns = longest(s->longest_service_ns, s->service, s->operations);
    }
    if (iteration + 1 == s->trial->warmup + s->trial->iterations) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "others_cpu_ns", (double)(used_by_others() - s->others_ns));
        recorder_measure(recorder, WHOLE_TRIAL, "", "others_span_ns", (double)(clock_ns() - s->since_ns));
    }
}

static int refuse(const struct trial *trial, int64_t operations) {
    if (trial->threads != 1) {
        return trial_refuse(trial, "threads", " by gc_pause: give 1");
    }
    if (operations < 1 || operations > MOST) {
        return trial_refuse(trial, "period-us",
                            ": give one that makes 1 to %d operations of an iteration (--iteration-ms)", MOST);
    }
    if (pin_distinct(NULL, 0) < 2) {
        return fail(STATUS_UNSUPPORTED, "it stands beside programs whose collector needs a second CPU; there is one");
    }
    return 0;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const int64_t period_ns = trial_int(trial, "period-us") * 1000;
    const int64_t operations = trial->iteration_ns / period_ns;
    int status = refuse(trial, operations);
    if (status) {
        return status;
    }
    struct shared *s = allocate(1, sizeof *s);
    *s = (struct shared){.trial = trial, .period_ns = period_ns, .operations = operations};
    s->service = allocate((size_t)operations, sizeof *s->service);
    struct garbage *g = &s->garbage;
    garbage_init(g, trial, *(const enum fault *)trial->variant->implementation);
    const struct workload workload = {
        .shared = s, .series = "late", .prepare = prepare, .run = run_paced, .measure = measure};
    status = workers_run(trial, recorder, &workload, NULL);
    const int64_t due = (trial->warmup + trial->iterations) * operations;
    recorder_measure(recorder, WHOLE_TRIAL, "", "watched_s", (double)s->watched_ns / 1e9);
    recorder_measure(recorder, WHOLE_TRIAL, "", "late_max_ns", (double)s->longest_late_ns);
    recorder_measure(recorder, WHOLE_TRIAL, "", "service_max_ns", (double)s->longest_service_ns);
    recorder_check_equal(recorder, "operations", due, g->operations);
    recorder_check_equal(recorder, "live arrays in their places", g->places, garbage_in_place(g, due));
    garbage_end(g);
    free(s->service);
    free(s);
    return status;
}

#define FAULT(word) &(const enum fault){word}

static const struct variant variants[] = {
    {"paced", NULL, FAULT(NO_FAULT)},
#ifdef LAB_BROKEN_PROGRAM
    {"losing", NULL, FAULT(LOSING)},
    {"skipping", NULL, FAULT(SKIPPING)},
    {"reusing", NULL, FAULT(REUSING)},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("period-us", 1, 1000000, 10),
    INT_PARAMETER("bytes-per-operation", 0, 1 << 20, 2000),
    INT_PARAMETER("keep-every", 1, 1000000, 50),
    INT_PARAMETER("live-mb", 1, 1 << 16, 32),
    {0},
};

const struct experiment experiment_gc_pause = {
    .name = "gc_pause", .variants = variants, .parameters = parameters, .run = run};
