/*
 * lock_scaling: a shared counter incremented in a critical section by N threads.
 *
 * One operation is acquire, increment, release. Nothing of it is timed: who reads the clock before it asks for a lock
 * gives that lock away. With `log` whoever becomes the owner reads it inside (owner_log.h), in every second iteration,
 * and hand-overs, waits and the residence time of every operation follow from that. The others show what the log costs.
 * Once in `sample-every` operations the clock is read for the deadline, and the whole-trial measure clock_read says
 * what that adds.
 *
 * With `outside` a thread works that many nanoseconds, on the average, between a release and its next acquire: N
 * threads in a closed queue in front of one server. There every operation is timed (clock before the acquire, after the
 * release), and so is the work before it: readings are part of the work outside. The log is of operations then, and
 * says what each took of the lock (lock_services.h).
 *
 * Run: harness/c/build/lab-harness lock_scaling --variant ticket --threads 2 --log 8192
 *      --warmup 5 --iterations 50 --out /tmp/x.hlog
 * Expect: a lock that changes hands every few operations at most (owner_runs beside
 * window_operations), where pthread_mutex lets its owner go on for many.
 */
#include "lock_scaling.h"
#include "stats.h"

enum { READINGS = 2 }; /* of the clock, at each operation with work outside */

static const char *const laws[] = {"constant", "exponential", NULL};

static const struct parameter parameters[] = {
    POWER_PARAMETER("sample-every", 1, 1 << 20, 64),
    INT_PARAMETER("log", 0, 1 << 20, 0),
    INT_PARAMETER("outside", 0, 1000000, 0),
    CHOICE_PARAMETER("outside-law", laws, "constant"),
    {0},
};

static void prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct shared *s = shared;
    owner_logs_prepare(s->logs, iteration, s->counter);
}

/* What the timed operations of all threads say about the time between release and acquire and about the time at the
 * lock. Every piece of work was timed clock to clock, and so holds one reading, as does every sample. An operation
 * reads the clock outside the lock: that belongs to the time outside. */
static void measure_outside(struct shared *s, const struct worker *workers, int iteration, struct recorder *recorder) {
    double operations = 0;
    double runs = 0;
    double pieces = 0;
    double outside_ns = 0;
    double lock_ns = 0;
    for (int i = 0; i < s->threads; i++) {
        operations += (double)workers[i].operations;
        runs += (double)s->own[i].runs;
        pieces += (double)workers[i].sample_count;
        outside_ns += (double)s->outside[i].timed_ns;
        lock_ns += (double)s->outside[i].beside_ns;
    }
    outside_ns += pieces * (READINGS - 1) * s->clock_read_ns;
    lock_ns -= pieces * s->clock_read_ns;
    recorder_measure(recorder, iteration, "", "window_operations", operations);
    recorder_measure(recorder, iteration, "", "owner_runs", runs);
    recorder_measure(recorder, iteration, "", "timed_operations", pieces);
    recorder_measure(recorder, iteration, "", "outside_ns", outside_ns);
    recorder_measure(recorder, iteration, "", "outside_mean_ns", outside_ns / pieces);
    recorder_measure(recorder, iteration, "", "lock_mean_ns", lock_ns / pieces);
}

static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct shared *s = shared;
    for (int i = 0; i < s->threads; i++) {
        s->scratch[i] = workers[i].operations;
    }
    recorder_measure(recorder, iteration, "", "gini", stats_gini(s->scratch, (size_t)s->threads));
    owner_logs_ended(s->logs, iteration, workers, recorder);
    if (s->outside) {
        measure_outside(s, workers, iteration, recorder);
    }
}

static void init_outside(struct shared *s, const struct trial *trial, struct recorder *recorder) {
    const int64_t outside_ns = trial_int(trial, "outside");
    if (outside_ns == 0) {
        return;
    }
    const bool exponential = strcmp(trial_text(trial, "outside-law"), "exponential") == 0;
    const double step_ns = work_step_ns();
    recorder_measure(recorder, WHOLE_TRIAL, "", "outside_step_ns", step_ns);
    s->clock_read_ns = clock_read_cost();
    s->outside = allocate((size_t)s->threads, sizeof *s->outside);
    for (int i = 0; i < s->threads; i++) {
        work_init(&s->outside[i], (double)outside_ns / step_ns, exponential, (uint64_t)i);
    }
}

static void check_outside(const struct shared *s, struct recorder *recorder) {
    uint64_t expected = 0;
    uint64_t actual = 0;
    for (int i = 0; i < s->threads; i++) {
        expected += work_expected(&s->outside[i]);
        actual += s->outside[i].a;
    }
    recorder_check_equal(recorder, "sum of the adds outside", (int64_t)expected, (int64_t)actual);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct lock *lock = trial->variant->implementation;
    if (strcmp(trial->variant->name, "no_lock") == 0 && trial->threads != 1) {
        return trial_refuse(trial, "threads", " by no_lock: give 1, for without a lock more threads lose updates");
    }
    if (trial_int(trial, "outside") > 0 && trial_int(trial, "sample-every") != 1) {
        return trial_refuse(trial, "sample-every", " with --outside: give 1, for every operation is timed there");
    }
    if (strcmp(trial->variant->name, "own_counter") == 0 && trial_int(trial, "log") > 0) {
        return trial_refuse(trial, "log", " by own_counter: give 0, for what is not shared has no owners");
    }
    struct shared *s = allocate(1, sizeof *s);
    s->chunk = trial_int(trial, "sample-every");
    s->threads = trial->threads;
    s->scratch = allocate((size_t)trial->threads, sizeof *s->scratch);
    s->own = allocate((size_t)trial->threads, sizeof *s->own);
    s->logs = owner_logs_open(trial);
    lock->init(s);
    init_outside(s, trial, recorder);
    const struct workload workload = {.shared = s, .prepare = prepare, .run = lock->run, .measure = measure};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    for (int i = 0; i < s->threads; i++) {
        s->counter += s->own[i].counter;
    }
    recorder_check_equal(recorder, "counter equals increments", operations, (int64_t)s->counter);
    if (s->outside) {
        check_outside(s, recorder);
    }
    if (operations == (int64_t)s->counter) {
        owner_logs_leave(s->logs, recorder); /* of a counter that went astray it would tell lies */
    }
    owner_logs_close(s->logs);
    free(s->outside);
    free(s->own);
    free(s->scratch);
    free(s);
    return status;
}

const struct experiment experiment_lock_scaling = {
    .name = "lock_scaling", .variants = lock_scaling_variants, .parameters = parameters, .run = run};
