/*
 * The variant `sleeper`: a thread with nothing to do that wakes up at fixed times, --period-us apart. A sample of
 * series `late` is the time from a tick to when the thread had woken up for it. Every tick has one, those included that
 * passed while it was late for an earlier one: each counts with what was left of the delay, as whatever was due then
 * would have waited.
 *
 * The control of a program that is measured in the same trial, as a part beside it: what both see is the host's. It
 * takes hardly any time of a CPU, unlike a thread that spins (`idle`). A wake-up out of sleep is in every value, some
 * 10 us in a guest, so that it sees nothing shorter.
 *
 * Checks: as many samples as ticks; no wake-up before its tick.
 */
#include "clocks.h"

#include <errno.h>
#include <sys/prctl.h>

struct shared {
    int64_t period_ns;
    int64_t due; /* ticks of an iteration */
    /* Of the trial. */
    int64_t ticks, early;
    int64_t longest_ns; /* of the measured iterations */
    const struct trial *trial;
};

/* The kernel may delay a wake-up by the slack of its thread, 50 us unless told otherwise, to serve several at once. */
static void prepare(UNUSED void *shared, UNUSED struct worker *workers, int iteration) {
    if (iteration == 0) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    }
}

static void sleep_until(int64_t ns) {
#ifdef LAB_BROKEN_CLOCK
    ns -= 1000000; /* wakes up a millisecond too early */
#endif
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

static void run_sleeper(struct worker *worker, void *shared) {
    struct shared *s = shared;
    size_t sampled = 0;
    for (int64_t k = 1; k <= s->due; k++) {
        const int64_t tick = worker->start_ns + k * s->period_ns;
        sleep_until(tick);
        const int64_t late = clock_ns() - tick;
        s->early += late < 0;
        worker->samples[sampled++] = late < 0 ? 0 : late;
    }
    s->ticks += (int64_t)sampled;
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled;
}

static void measure(void *shared, const struct worker *workers, int iteration, UNUSED struct recorder *recorder) {
    struct shared *s = shared;
    for (size_t i = 0; iteration >= s->trial->warmup && i < workers->sample_count; i++) {
        s->longest_ns = workers->samples[i] > s->longest_ns ? workers->samples[i] : s->longest_ns;
    }
}

int clock_sleeper(const struct trial *trial, struct recorder *recorder) {
    struct shared s = {.trial = trial, .period_ns = trial_int(trial, "period-us") * 1000};
    s.due = trial->iteration_ns / s.period_ns;
    if (s.due == 0) {
        return trial_refuse(trial, "period-us", ": give at most an iteration's length (--iteration-ms)");
    }
    const struct workload workload = {
        .shared = &s, .series = "late", .prepare = prepare, .run = run_sleeper, .measure = measure};
    int status = workers_run(trial, recorder, &workload, NULL);
    recorder_measure(recorder, WHOLE_TRIAL, "", "late_max_ns", (double)s.longest_ns);
    recorder_check_equal(recorder, "ticks", (trial->warmup + trial->iterations) * s.due, s.ticks);
    recorder_check_equal(recorder, "wake-ups before their tick", 0, s.early);
    return status;
}
