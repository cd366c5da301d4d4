/*
 * clock: what reading a clock costs, what two readings in a row can tell apart, and what the platform takes from a
 * thread that does nothing else.
 *
 * A clock's iteration has two halves. The first reads in batches; the duration of each is a sample of series `batches`,
 * long against the reading that ends it. The second stores every reading of one unbroken stretch, as many as fit by the
 * fastest batch, so that its loop reads nothing but the clock; the steps between neighbours are taken afterwards. Those
 * above 0 are the samples of series `steps`; zeros and steps back, which a histogram of durations has no place for, are
 * measures.
 *
 * `idle` does nothing but read, and watches for gaps: clock_idle.c. `across` is the clock of two CPUs against each
 * other: clock_across.c. `sleeper` does nothing and wakes up at fixed times: clock_sleeper.c.
 *
 * Checks: the recorded steps add up to last minus first reading; a monotonic clock never steps back; the readings of a
 * batch lie inside it.
 *
 * Run: harness/c/build/lab-harness clock --variant monotonic --warmup 5 --iterations 50
 *      --out /tmp/x.hlog
 * Expect: readings much cheaper than those of monotonic_syscall, unless the clock source of this
 * host can only be read in the kernel.
 */
#include "clocks.h"

enum { MOST_READINGS = 1 << 19 };

struct shared {
    const struct trial *trial;
    const struct clock_source *source;
    double unit_ns;    /* of a reading */
    int64_t batch;     /* readings */
    int64_t *readings; /* MOST_READINGS, and beside them the steps to record */
    int64_t *samples;
    /* Of the trial; readings and steps in units of the clock. */
    int64_t passed, stepped, smallest, backward, outside;
};

static void run_batches(struct worker *worker, void *shared) {
    struct shared *s = shared;
    const int64_t half_ns = s->trial->iteration_ns / 2;
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t sum;
    int64_t latest = s->source->batch(1, 0, &sum);
    int64_t now = clock_ns();
    const int64_t deadline = worker->start_ns + half_ns;
    do {
        int64_t before = latest;
        latest = s->source->batch(s->batch, before, &sum);
        int64_t after = clock_ns();
        samples[sampled++] = after - now;
        now = after;
        s->outside += sum < 0 || sum > s->batch * (latest - before);
    } while (now < deadline && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * s->batch;
}

/* A step of the clock in whole nanoseconds; one that there was is never recorded as none. */
static int64_t step_ns(const struct shared *s, int64_t step) {
    int64_t ns = (int64_t)((double)step * s->unit_ns + 0.5);
    return ns > 0 ? ns : 1;
}

/* The second half, between two iterations of the first: by the same thread on the same CPU. */
static void measure_steps(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct shared *s = shared;
    int64_t fastest = workers->samples[0];
    for (size_t i = 1; i < workers->sample_count; i++) {
        fastest = workers->samples[i] < fastest ? workers->samples[i] : fastest;
    }
    double cost = (double)(fastest + 1) / (double)s->batch;
    double fitting = (double)s->trial->iteration_ns / 2 / cost;
    size_t count = fitting < 2 ? 2 : fitting < MOST_READINGS ? (size_t)fitting : MOST_READINGS;
    int64_t start_ns = clock_ns();
    int64_t last = s->source->fill(s->readings, count);
    int64_t elapsed_ns = clock_ns() - start_ns;
    int64_t zero = 0;
    int64_t backward = 0;
    size_t sampled = 0;
    for (size_t i = 1; i < count; i++) {
        int64_t step = s->readings[i] - s->readings[i - 1];
        s->stepped += step;
        if (step > 0) {
            s->samples[sampled++] = step_ns(s, step);
            s->smallest = step < s->smallest ? step : s->smallest;
        }
        zero += step == 0;
        backward += step < 0;
    }
    s->passed += last - s->readings[0];
    s->backward += backward;
    recorder_row(recorder, iteration, iteration_phase(s->trial, iteration), "steps", start_ns, elapsed_ns,
                 (int64_t)count, s->samples, sampled);
    recorder_measure(recorder, iteration, "", "steps", (double)(count - 1));
    recorder_measure(recorder, iteration, "", "zero_steps", (double)zero);
    recorder_measure(recorder, iteration, "", "backward_steps", (double)backward);
}

static int measure_clock(const struct trial *trial, struct recorder *recorder) {
    struct shared *s = allocate(1, sizeof *s);
    s->trial = trial;
    s->source = trial->variant->implementation;
    s->unit_ns = 1;
    s->smallest = INT64_MAX;
    s->batch = trial_int(trial, "batch");
    s->readings = allocate(MOST_READINGS, sizeof *s->readings);
    s->samples = allocate(MOST_READINGS, sizeof *s->samples);
    int status = 0;
    struct timespec resolution;
    if (s->source->id != NO_CLOCK && clock_getres(s->source->id, &resolution) == 0) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "resolution",
                         (double)resolution.tv_sec * 1e9 + (double)resolution.tv_nsec);
    }
    if (s->source->ticks) {
        const char *reason;
        s->unit_ns = clock_tick_ns(&reason);
        status = reason ? fail(STATUS_UNSUPPORTED, "%s is not supported: %s", trial->variant->name, reason) : 0;
        recorder_measure(recorder, WHOLE_TRIAL, "", "resolution", s->unit_ns);
    }
    const struct workload workload = {.shared = s, .series = "batches", .run = run_batches, .measure = measure_steps};
    status = status ? status : workers_run(trial, recorder, &workload, NULL);
    if (s->smallest != INT64_MAX) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "smallest_step", (double)s->smallest * s->unit_ns);
    }
    recorder_check_equal(recorder, "sum of steps equals last minus first reading", s->passed, s->stepped);
    recorder_check_equal(recorder, "steps back of a monotonic clock", 0, s->backward);
    recorder_check_equal(recorder, "batches with readings outside them", 0, s->outside);
    free(s->readings);
    free(s->samples);
    free(s);
    return status;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (strcmp(trial->variant->name, "across") == 0) {
        return clock_across(trial, recorder);
    }
    if (trial->threads != 1) {
        return trial_refuse(trial, "threads", " by clock: give 1");
    }
    if (strcmp(trial->variant->name, "sleeper") == 0) {
        return clock_sleeper(trial, recorder);
    }
    if (strcmp(trial->variant->name, "idle") == 0) {
        return clock_idle(trial, recorder);
    }
    return measure_clock(trial, recorder);
}

static const struct parameter parameters[] = {
    INT_PARAMETER("batch", 1, 1000000, 1000),
    INT_PARAMETER("slot-us", 1, 1000000, 10),
    INT_PARAMETER("period-us", 10, 1000000, 1000),
    {0},
};

const struct experiment experiment_clock = {
    .name = "clock", .variants = clock_variants, .parameters = parameters, .run = run};
