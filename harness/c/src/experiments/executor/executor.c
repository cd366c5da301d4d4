/*
 * executor: tiny tasks handed to a pool of threads, under a load (load.h).
 *
 * The workers of the trial are the producers; the pool has threads of its own (executor_threads.c). A producer owns a
 * ring of `window` tasks, and submits one again when it has been run: that bounds the tasks on their way, alike for all
 * variants. How a task gets to a thread is the variant (executor_pools.h), in the loops of both (executor_loops.c).
 * `caller` runs each task where it is made: the control.
 *
 * Values: as in queues, of a task from its due time or submission to the end of its own work.
 *
 * Run: harness/c/build/lab-harness executor --variant pool_vyukov --cpus 0,1 --warmup 20
 *      --iterations 20 --out /tmp/x.hlog
 * Expect: fewer tasks per second than `caller` runs, for each has to cross between two CPUs.
 */
#include "executor.h"
#include "pin.h"

static const struct parameter parameters[] = {
    INT_PARAMETER("producers", 1, LOAD_MOST_PRODUCERS, 1),
    INT_PARAMETER("workers", 1, 64, 1),
    POWER_PARAMETER("window", 1, EXECUTOR_SLOTS / LOAD_MOST_PRODUCERS, 4096),
    INT_PARAMETER("spin", 0, 1000000, 1000),
    LOAD_PARAMETERS,
    {0},
};

/* All consumers end when the last producer has seen its last task done. */
static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct executor *e = shared;
    int64_t end = 0;
    int64_t wakes = 0;
    for (int p = 0; p < e->load.producers; p++) {
        end = e->load.sources[p].end_ns > end ? e->load.sources[p].end_ns : end;
        wakes += e->producers[p].wakes;
        e->producers[p].wakes = 0;
    }
    for (int c = 0; c < e->load.consumers; c++) {
        e->load.receipts[c].tally.end_ns = end;
    }
    load_measure(shared, workers, iteration, recorder);
    recorder_measure(recorder, iteration, "", "wakes", (double)wakes);
}

/* Submits a few last tasks, for a shutdown to find in the queue: it has to run them. */
static void submit_last(struct executor *e) {
    enum { LAST = 64 };
    struct source *source = &e->load.sources[0];
    struct patience patience = {.load = &e->load, .until_ns = clock_ns() + WORKERS_GRACE_NS};
    struct event *slot;
    for (int i = 0; i < LAST && i <= e->producers[0].mask; i++) {
        if (!(slot = claim_task(e, source, &patience))) {
            break;
        }
        slot->number = i;
        slot->due = slot->sent = 0;
        e->load.numbers_due += i;
        e->kind->publish(e, source, slot);
    }
}

static void check(const struct executor *e, struct recorder *recorder) {
    int64_t wrong = 0;
    int64_t results = 0;
    for (int p = 0; p < e->load.producers; p++) {
        for (int64_t i = 0; i <= e->producers[p].mask; i++) {
            const struct task *task = &e->producers[p].tasks[i];
            wrong += task->uses != task->submitted;
            results += task->result;
        }
    }
    recorder_check_equal(recorder, "tasks not run once per submission", 0, wrong);
    recorder_check_equal(recorder, "sum of the tasks' results", e->load.numbers_due, results);
    recorder_check_equal(recorder, "tasks left in the queue", 0, blocking_left(&e->blocking) + vyukov_left(&e->vyukov));
    recorder_check_equal(recorder, "threads of the pool ended by its shutdown", e->started, e->ended);
}

static void init(struct executor *e, const struct trial *trial) {
    const int64_t window = trial_int(trial, "window");
    e->spin = trial_int(trial, "spin");
    e->most_ns = load_patience(&e->load, trial->threads * window);
    e->oversubscribed = trial->threads + e->workers > pin_distinct(trial->cpus, trial->cpu_count);
    e->load.awake = e->kind->awake && !e->oversubscribed;
    e->producers = allocate((size_t)trial->threads, sizeof *e->producers);
    e->members = allocate((size_t)e->workers, sizeof *e->members);
    for (int p = 0; p < trial->threads; p++) {
        e->producers[p].tasks = allocate((size_t)window, sizeof(struct task));
        e->producers[p].mask = window - 1;
    }
    blocking_init(&e->blocking, EXECUTOR_SLOTS);
    vyukov_init(&e->vyukov, EXECUTOR_SLOTS);
}

static int measure_pool(const struct trial *trial, struct recorder *recorder, struct executor *e) {
    const struct workload workload = {.shared = e,
                                      .phases = e->load.phases,
                                      .series = "",
                                      .prepare = load_prepare,
                                      .run = e->kind->run,
                                      .measure = measure,
                                      .beside = e->workers,
                                      .switches = executor_switches,
                                      .patience_ns = 2 * e->most_ns};
    int status = executor_start_threads(e, trial, recorder);
    status = status ? status : workers_run(trial, recorder, &workload, NULL);
    status = status ? status : load_finish(&e->load, recorder);
    submit_last(e);
    executor_end_threads(e);
    check(e, recorder);
    return status;
}

static void release(struct executor *e) {
    if (e->ended < e->started) {
        return; /* a thread goes on using it, until the process ends */
    }
    for (int p = 0; p < e->load.producers && e->producers; p++) {
        free(e->producers[p].tasks);
    }
    free(e->producers);
    free(e->members);
    free(e->blocking.slots);
    free(e->vyukov.slots);
    load_close(&e->load);
    free(e);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    struct executor *e = allocate(1, sizeof *e);
    e->kind = trial->variant->implementation;
    e->workers = e->kind->serve ? (int)trial_int(trial, "workers") : 0;
    const int consumers = e->workers ? e->workers : trial->threads;
    int status = load_open(&e->load, trial, trial->threads, consumers, e->workers < 2);
    e->load.looked_for = e->workers > 0;
    if (status == 0) {
        init(e, trial);
        status = measure_pool(trial, recorder, e);
    }
    release(e);
    return status;
}

const struct experiment experiment_executor = {
    .name = "executor", .variants = executor_variants, .parameters = parameters, .run = run, .threads_by = "producers"};
