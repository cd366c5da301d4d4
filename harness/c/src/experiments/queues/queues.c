/*
 * queues: events handed from thread to thread under a load (load.h).
 *
 * Workers are the producers, then the consumer; what lies between them is the variant: its structure (ring.h,
 * blocking.h, vyukov.h) in the loops of both sides (queues_loops.c). `null` is the load generator alone: it writes each
 * event to a slot of its own.
 *
 * Values: `intended` from an event's due time, `sent` from when its sending began, both to the end of the consumer's
 * work; `late` the generator's own delay; `busy` and `idle` the service time of events that waited and of those that
 * found the consumer waiting; `full`, without a load, the time in the queue.
 *
 * Run: harness/c/build/lab-harness queues --variant spsc --load 80 --cpus 0,1 --warmup 20
 *      --iterations 16 --iteration-ms 20 --out /tmp/x.hlog
 * Expect: `intended` of a few hundred nanoseconds; with --work 1000 its mean is that of M/D/1:
 * about 3 us.
 */
#include "queues.h"
#include "pin.h"

static const char *const topologies[] = {"one_to_one", "three_to_one", NULL};

static const struct parameter parameters[] = {
    CHOICE_PARAMETER("topology", topologies, "one_to_one"),
    LOAD_PARAMETERS,
    POWER_PARAMETER("slots", 16, 1 << 20, 65536),
    INT_PARAMETER("batch", 1, 1024, 1),
    {0},
};

static int producers_of(const struct trial *trial) {
    return strcmp(trial_text(trial, "topology"), "three_to_one") == 0 ? 3 : 1;
}

static int threads_of(const struct trial *trial) {
    const struct queue *queue = trial->variant->implementation;
    return producers_of(trial) + (queue->consume != NULL);
}

static int check_arguments(const struct trial *trial) {
    const struct queue *queue = trial->variant->implementation;
    const int producers = producers_of(trial);
    const int cpus = pin_distinct(trial->cpus, trial->cpu_count);
    if (producers > 1 && !queue->many) {
        return trial_refuse(trial, "topology",
                            " by %s: give one_to_one, it has room for one producer; vyukov takes three",
                            trial->variant->name);
    }
    if (producers > 1 && cpus < trial->threads) {
        return fail(STATUS_UNSUPPORTED,
                    "--topology three_to_one: not supported: its %d threads spin and need a CPU "
                    "each, here are %d",
                    trial->threads, cpus);
    }
    if (trial_int(trial, "batch") > trial_int(trial, "slots")) {
        return trial_refuse(trial, "batch", ": give no more than --slots %lld", (long long)trial_int(trial, "slots"));
    }
    return 0;
}

static void run_side(struct worker *worker, void *shared) {
    struct queues *q = shared;
    if (worker->index < q->load.producers) {
        q->queue->produce(q, worker);
    } else {
        q->queue->consume(q, worker);
    }
}

/* The generator alone: an event counts as handled when it is sent, and the slot has to hold the last of them, for
 * otherwise they were not written. */
static void measure_generator(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct queues *q = shared;
    const struct source *source = &q->load.sources[0];
    struct tally *tally = &q->load.receipts[0].tally;
    tally->handled = tally->announced = source->sent;
    tally->numbers = source->sent * (source->sent - 1) / 2;
    tally->faults = source->sent > 0 && q->nowhere.number != source->sent - 1;
    tally->latest = q->nowhere.due;
    for (int64_t i = 0; q->load.stamped && i < source->sent; i++) {
        tally->content ^= source->due[i];
    }
    tally->ends = 1;
    tally->end_ns = source->end_ns;
    load_measure(shared, workers, iteration, recorder);
}

static int measure_queue(const struct trial *trial, struct recorder *recorder, struct queues *q) {
    const int64_t slots = trial_int(trial, "slots");
    ring_init(&q->ring, slots, trial_int(trial, "batch"));
    blocking_init(&q->blocking, slots);
    vyukov_init(&q->vyukov, slots);
    q->most_ns = load_patience(&q->load, slots);
    const struct workload workload = {.shared = q,
                                      .phases = q->load.phases,
                                      .series = "",
                                      .prepare = load_prepare,
                                      .run = run_side,
                                      .measure = q->load.handed_over ? load_measure : measure_generator,
                                      .patience_ns = 2 * q->most_ns};
    int status = workers_run(trial, recorder, &workload, NULL);
    status = status ? status : load_finish(&q->load, recorder);
    recorder_check_equal(recorder, "events left in the queue", 0,
                         ring_left(&q->ring) + blocking_left(&q->blocking) + vyukov_left(&q->vyukov));
    free(q->ring.slots);
    free(q->blocking.slots);
    free(q->vyukov.slots);
    return status;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    int status = check_arguments(trial);
    if (status) {
        return status;
    }
    struct queues *q = allocate(1, sizeof *q);
    q->queue = trial->variant->implementation;
    status = load_open(&q->load, trial, producers_of(trial), 1, true);
    q->load.handed_over = q->queue->consume != NULL;
    q->load.awake = q->load.awake && q->queue->awake;
    status = status ? status : measure_queue(trial, recorder, q);
    load_close(&q->load);
    free(q);
    return status;
}

const struct experiment experiment_queues = {.name = "queues",
                                             .variants = queues_variants,
                                             .parameters = parameters,
                                             .run = run,
                                             .threads_by = "topology",
                                             .threads = threads_of};
