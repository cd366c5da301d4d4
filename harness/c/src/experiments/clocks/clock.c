/*
 * clock: what reading a clock costs, what two readings in a row can tell apart, and what the
 * platform takes from a thread that does nothing else.
 *
 * A clock's iteration has two halves. The first reads in batches; the duration of each is a sample
 * of series `batches`, long against the reading that ends it. The second stores every reading of
 * one unbroken stretch, as many as fit by the fastest batch, so that its loop reads nothing but the
 * clock; the steps between neighbours are taken afterwards. Those above 0 are the samples
 * of series `steps`; zeros and steps back, which a histogram of durations has no place for, are
 * measures.
 *
 * `idle` cuts the time into slots. A sample is the longest gap between two readings that ends in
 * the slot, so that a percentile is a share of time. A slot that passed while the thread was away
 * counts as well, with what was left of the absence when it began.
 *
 * `across` is the clock of two CPUs against each other: clock_across.h. `sleeper` does nothing and
 * wakes up at fixed times: clock_sleeper.h.
 *
 * Checks: the recorded steps (gaps) add up to last minus first reading; a monotonic clock never
 * steps back; the readings of a batch lie inside it; no slot is missing.
 *
 * Run: harness/c/build/lab-harness clock --variant monotonic --warmup 5 --iterations 50
 *      --out /tmp/x.hlog
 * Expect: readings much cheaper than those of monotonic_syscall, unless the clock source of this
 * host can only be read in the kernel.
 */
#include "clock.h"
#include "clock_across.h"
#include "clock_sleeper.h"
#include "clock_sources.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_READINGS = 1 << 19, AWAY_NS = 1000 };

struct shared {
    const struct trial *trial;
    const struct clock_source *source; /* NULL: the idle thread */
    double unit_ns;                    /* of a reading */
    int64_t batch;                     /* readings */
    int64_t slot_ns;                   /* of the idle thread */
    int64_t *readings;                 /* MOST_READINGS, and beside them the steps to record */
    int64_t *samples;
    /* Of the last iteration of an idle thread. */
    int64_t watched_ns, away_ns, absences;
    /* Of the trial; readings and steps in units of the clock. */
    int64_t passed, stepped, smallest, backward, outside, slots, expected_slots;
};

static void name_series(struct worker *worker, const char *series) {
    snprintf(worker->series, sizeof worker->series, "%s", series);
}

static void prepare_batches(void *shared, struct worker *workers, int iteration) {
    (void)shared;
    (void)iteration;
    name_series(workers, "batches");
}

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
static void measure_steps(void *shared, const struct worker *workers, int iteration,
                          struct recorder *recorder) {
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
    recorder_row(recorder, iteration, iteration_phase(s->trial, iteration), "steps", start_ns,
                 elapsed_ns, (int64_t)count, s->samples, sampled);
    recorder_measure(recorder, iteration, "", "steps", (double)(count - 1));
    recorder_measure(recorder, iteration, "", "zero_steps", (double)zero);
    recorder_measure(recorder, iteration, "", "backward_steps", (double)backward);
}

static void prepare_idle(void *shared, struct worker *workers, int iteration) {
    (void)shared;
    (void)iteration;
    name_series(workers, "gaps");
}

static void run_idle(struct worker *worker, void *shared) {
    struct shared *s = shared;
    int64_t *const samples = worker->samples;
    const int64_t slot_ns = s->slot_ns;
    size_t sampled = 0;
    int64_t reads = 0;
    int64_t longest = 0;
    int64_t gapped = 0;
    int64_t away = 0;
    int64_t absences = 0;
    int64_t backward = 0;
    const int64_t start = clock_ns();
    int64_t last = start;
    int64_t slot_end = start + slot_ns;
    /* An absence fills as many slots as it lasts. Should they ever exceed the capacity (a second
     * in an iteration of 4 ms), the check of the slots fails rather than one be left out. */
    do {
        do {
            int64_t now = clock_ns();
            int64_t gap = now - last;
            gapped += gap;
            longest = gap > longest ? gap : longest;
            if (gap > AWAY_NS) {
                away += gap;
                absences++;
            }
            backward += gap < 0;
            last = now;
            reads++;
        } while (last < slot_end);
        samples[sampled++] = longest;
        for (; last - slot_end >= slot_ns && sampled < worker->sample_capacity;
             slot_end += slot_ns) {
            samples[sampled++] = last - slot_end;
        }
        longest = last - slot_end;
        slot_end += slot_ns;
    } while (last - start < s->trial->iteration_ns && sampled < worker->sample_capacity);
    s->watched_ns = last - start;
    s->away_ns = away;
    s->absences = absences;
    s->passed += last - start;
    s->stepped += gapped;
    s->backward += backward;
    s->slots += (int64_t)sampled;
    s->expected_slots += (last - start) / slot_ns;
    worker->sample_count = sampled;
    worker->operations = reads;
}

static void measure_idle(void *shared, const struct worker *workers, int iteration,
                         struct recorder *recorder) {
    (void)workers;
    const struct shared *s = shared;
    recorder_measure(recorder, iteration, "", "watched_ns", (double)s->watched_ns);
    recorder_measure(recorder, iteration, "", "away_ns", (double)s->away_ns);
    recorder_measure(recorder, iteration, "", "absences", (double)s->absences);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (strcmp(trial->variant->name, "across") == 0) {
        return clock_across(trial, recorder);
    }
    if (trial->threads != 1) {
        return fail(STATUS_BAD_ARGUMENT, "--threads: '%d' is not accepted by clock: give 1",
                    trial->threads);
    }
    if (strcmp(trial->variant->name, "sleeper") == 0) {
        return clock_sleeper(trial, recorder);
    }
    struct shared *s = allocate(1, sizeof *s);
    s->trial = trial;
    s->source = trial->variant->implementation;
    const bool idle = !s->source;
    s->unit_ns = 1;
    s->smallest = INT64_MAX;
    s->batch = trial_int(trial, "batch");
    s->slot_ns = trial_int(trial, "slot-us") * 1000;
    int status = 0;
    if (!idle) {
        s->readings = allocate(MOST_READINGS, sizeof *s->readings);
        s->samples = allocate(MOST_READINGS, sizeof *s->samples);
        struct timespec resolution;
        if (s->source->id != NO_CLOCK && clock_getres(s->source->id, &resolution) == 0) {
            recorder_measure(recorder, WHOLE_TRIAL, "", "resolution",
                             (double)resolution.tv_sec * 1e9 + (double)resolution.tv_nsec);
        }
        if (s->source->ticks) {
            const char *reason;
            s->unit_ns = clock_tick_ns(&reason);
            status = reason ? fail(STATUS_UNSUPPORTED, "%s is not supported: %s",
                                   trial->variant->name, reason)
                            : 0;
            recorder_measure(recorder, WHOLE_TRIAL, "", "resolution", s->unit_ns);
        }
    }
    const struct workload workload = idle ? (struct workload){.shared = s,
                                                              .prepare = prepare_idle,
                                                              .run = run_idle,
                                                              .measure = measure_idle}
                                          : (struct workload){.shared = s,
                                                              .prepare = prepare_batches,
                                                              .run = run_batches,
                                                              .measure = measure_steps};
    status = status ? status : workers_run(trial, recorder, &workload, NULL);
    if (s->smallest != INT64_MAX) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "smallest_step",
                         (double)s->smallest * s->unit_ns);
    }
    recorder_check_equal(recorder,
                         idle ? "sum of gaps equals last minus first reading"
                              : "sum of steps equals last minus first reading",
                         s->passed, s->stepped);
    recorder_check_equal(recorder, "steps back of a monotonic clock", 0, s->backward);
    if (idle) {
        recorder_check_equal(recorder, "slots equal time over their length", s->expected_slots,
                             s->slots);
    } else {
        recorder_check_equal(recorder, "batches with readings outside them", 0, s->outside);
    }
    free(s->readings);
    free(s->samples);
    free(s);
    return status;
}

static const struct parameter parameters[] = {
    {.name = "batch", .type = PARAMETER_INT, .min = 1, .max = 1000000, .number = 1000},
    {.name = "slot-us", .type = PARAMETER_INT, .min = 1, .max = 1000000, .number = 10},
    {.name = "period-us", .type = PARAMETER_INT, .min = 10, .max = 1000000, .number = 1000},
    {0},
};

const struct experiment experiment_clock = {
    .name = "clock", .variants = clock_variants, .parameters = parameters, .run = run};
