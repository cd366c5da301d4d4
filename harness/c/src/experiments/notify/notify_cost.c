/*
 * notify_cost: what a notification costs the thread that makes it.
 *
 * A pair is a notifier (a worker), a waiter (started beside the workers) and the sequence number that lies between
 * them. The notifier publishes the next number and wakes the waiter only when the waiter has taken the last one, so
 * that every number is handed over once. Waiting for the waiter, or for the time of a paced notification, keeps the
 * notifier runnable: it yields where there are more threads than CPUs, so there are always as many runnable threads as
 * pairs.
 *
 * An iteration is `notifies` notifications by every notifier; its length is what that takes. Two series hold all pairs'
 * samples together: "notify", the waking call alone, and "block", from before the lock is taken to after it is
 * released. A block contains the two clock reads inside. Nothing is pinned: where the scheduler runs the woken thread
 * is part of the question.
 *
 * Run: harness/c/build/lab-harness notify_cost --variant futex_wake --pairs 1 --warmup 5
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: `block` a little longer than `notify`, which it contains, and most of both spent in the
 * kernel.
 */
#include "notify_cost.h"
#include "experiment.h"
#include "pin.h"

#include <sys/resource.h>

enum { MOST_PAIRS = 512, MOST_NOTIFIES = 100000, WATCH_EVERY = 8 };

/* One sample in workers.c's reckoning of an iteration's length. */
enum { SAMPLE_ROOM_NS = 32 };

struct shared {
    const struct trial *trial; /* whose threads are the notifiers */
    struct pair *pairs;
    int64_t notifies;    /* per pair in a measured iteration */
    int64_t warmup;      /* per pair in a warm-up iteration */
    int64_t now;         /* per pair in this iteration */
    int64_t pace_ns;     /* between due times; 0: as fast as the waiter follows */
    int64_t pace_now_ns; /* in this iteration */
    bool watches;        /* whether this iteration reads context switches */
    bool yields;         /* more threads than CPUs */
    int64_t *scratch;    /* one series of all pairs */
};

static void await_taken(const struct pair *pair, bool yields) {
    while (__atomic_load_n(&pair->acknowledged, __ATOMIC_ACQUIRE) != pair->sent) {
        pause_once(yields);
    }
}

static const struct variant variants[] = {
    {"cond_signal", NULL, &notify_condition},
    {"futex_wake", NULL, &notify_futex},
#ifdef LAB_BROKEN_LOCK
    {"broken", NULL, &notify_hasty},
    {"losing", NULL, &notify_losing},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("pairs", 1, MOST_PAIRS, 1),
    INT_PARAMETER("notifies", 1, MOST_NOTIFIES, 1000),
    INT_PARAMETER("iteration-most", 1, MOST_PAIRS *MOST_NOTIFIES, MOST_PAIRS *MOST_NOTIFIES),
    INT_PARAMETER("warmup-notifies", 1, 1000000, 2000),
    INT_PARAMETER("pace-us", 0, 1000000, 0),
    {0},
};

static struct switches switches_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct switches){usage.ru_nvcsw, usage.ru_nivcsw};
}

/* One notification, every few of them between two readings of the thread's context switches. */
static void notify_once(struct worker *worker, const struct shared *s, struct pair *pair, bool watching) {
    struct switches before = {0};
    if (watching) {
        before = switches_now();
    }
    int64_t start = clock_ns();
    int64_t notify = pair->mechanism->send(pair, ++pair->sent);
    int64_t block = clock_ns() - start;
    if (watching) {
        struct switches after = switches_now();
        pair->watched++;
        pair->switches.voluntary += after.voluntary - before.voluntary;
        pair->switches.involuntary += after.involuntary - before.involuntary;
    }
    worker->samples[worker->sample_count++] = notify;
    worker->samples[s->now + worker->operations++] = block;
}

static void run_pair(struct worker *worker, void *shared) {
    const struct shared *s = shared;
    struct pair *pair = &s->pairs[worker->index];
    pair->woken = 0;
    pair->watched = 0;
    pair->switches = (struct switches){0};
    pair->start_ns = clock_ns();
    for (int64_t i = 0; i < s->now; i++) {
        while (clock_ns() < pair->start_ns + i * s->pace_now_ns) {
            pause_once(s->yields);
        }
        if (!pair->mechanism->hasty) {
            await_taken(pair, s->yields);
            pair->mechanism->asleep(pair, s->yields);
        }
        notify_once(worker, s, pair, s->watches && i % WATCH_EVERY == 0);
    }
    await_taken(pair, s->yields);
    pair->end_ns = clock_ns();
}

static void prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct shared *s = shared;
    bool measured = iteration >= s->trial->warmup;
    s->now = measured ? s->notifies : s->warmup;
    s->pace_now_ns = measured ? s->pace_ns : 0;
    s->watches = measured;
}

/* The row of one series: `offset` is where its samples begin in every worker's. */
static void write_row(const struct shared *s, const struct worker *workers, int iteration, struct recorder *recorder,
                      const char *series, int64_t offset) {
    int64_t start = s->pairs[0].start_ns;
    int64_t end = s->pairs[0].end_ns;
    size_t count = 0;
    for (int i = 0; i < s->trial->threads; i++) {
        size_t own = (size_t)workers[i].operations;
        memcpy(s->scratch + count, workers[i].samples + offset, own * sizeof *s->scratch);
        count += own;
        start = s->pairs[i].start_ns < start ? s->pairs[i].start_ns : start;
        end = s->pairs[i].end_ns > end ? s->pairs[i].end_ns : end;
    }
    recorder_row(recorder, iteration, iteration_phase(s->trial, iteration), series, start, end - start, (int64_t)count,
                 s->scratch, count);
}

static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    const struct shared *s = shared;
    write_row(s, workers, iteration, recorder, "notify", 0);
    write_row(s, workers, iteration, recorder, "block", s->now);
    struct switches switches = {0};
    int64_t watched = 0;
    int64_t woken = 0;
    int64_t wakes = 0;
    for (int i = 0; i < s->trial->threads; i++) {
        watched += s->pairs[i].watched;
        switches.voluntary += s->pairs[i].switches.voluntary;
        switches.involuntary += s->pairs[i].switches.involuntary;
        woken += s->pairs[i].woken;
        wakes += workers[i].operations;
    }
    if (watched > 0) {
        recorder_measure(recorder, iteration, "", "watched_blocks", (double)watched);
        recorder_measure(recorder, iteration, "", "block_switches_voluntary", (double)switches.voluntary);
        recorder_measure(recorder, iteration, "", "block_switches_involuntary", (double)switches.involuntary);
    }
    if (s->pairs[0].mechanism->tells_woken) {
        recorder_measure(recorder, iteration, "", "woken", (double)woken);
        recorder_measure(recorder, iteration, "", "wakes", (double)wakes);
    }
}

static void check(const struct shared *s, struct recorder *recorder, int64_t operations) {
    int64_t taken = 0;
    int64_t in_order = 0;
    for (int i = 0; i < s->trial->threads; i++) {
        taken += s->pairs[i].taken;
        in_order += s->pairs[i].in_order;
    }
    recorder_check_equal(recorder, "numbers taken equal notifications", operations, taken);
    recorder_check_equal(recorder, "numbers taken in order, each once", operations, in_order);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (trial->cpu_count) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--cpus: '%d' is not accepted: leave it out, notifiers and waiters run where "
                    "the scheduler puts them (placement free)",
                    trial->cpus[0]);
    }
    int64_t pairs = trial->threads;
    int64_t most = trial_int(trial, "iteration-most") / pairs;
    struct shared *s = allocate(1, sizeof *s);
    s->notifies = trial_int(trial, "notifies") < most ? trial_int(trial, "notifies") : most;
    s->notifies = s->notifies > 0 ? s->notifies : 1;
    /* Warming up is a matter of how often the code ran in all, whatever the number of pairs. */
    s->warmup = (trial_int(trial, "warmup-notifies") + pairs - 1) / pairs;
    s->pace_ns = trial_int(trial, "pace-us") * 1000;
    s->yields = 2 * pairs > pin_distinct(NULL, 0);
    int64_t longest = s->notifies > s->warmup ? s->notifies : s->warmup;
    s->scratch = allocate((size_t)(pairs * longest), sizeof *s->scratch);
    s->pairs = allocate((size_t)pairs, sizeof *s->pairs);
    /* The workers are the notifiers; an iteration ends by count, so its length in time is no more than the room for two
     * samples of each notification. */
    struct trial own = *trial;
    own.iteration_ns = 2 * longest * SAMPLE_ROOM_NS;
    s->trial = &own;
    int started;
    int status;
    int64_t operations = 0;
    int error = waiters_start(s->pairs, own.threads, trial->variant->implementation, &started);
    if (error) {
        status = fail(STATUS_NO_RESOURCES, "--pairs: waiter %d of %d cannot be started: %s", started + 1, own.threads,
                      strerror(error));
    } else {
        const int64_t due_ns = s->notifies * s->pace_ns;
        const struct workload workload = {.shared = s,
                                          .series = "", /* the rows are those of all pairs together, see measure() */
                                          .prepare = prepare,
                                          .run = run_pair,
                                          .measure = measure,
                                          .patience_ns = due_ns + pairs * longest * WORKERS_WAKE_NS + WORKERS_GRACE_NS};
        status = workers_run(&own, recorder, &workload, &operations);
    }
    waiters_end(s->pairs, started);
    check(s, recorder, operations);
    free(s->pairs);
    free(s->scratch);
    free(s);
    return status;
}

const struct experiment experiment_notify_cost = {
    .name = "notify_cost", .variants = variants, .parameters = parameters, .run = run, .threads_by = "pairs"};
