/*
 * queues: events handed from thread to thread under a load (load.h).
 *
 * Workers are the producers, then the consumer; what lies between them is the variant. `null` is
 * the load generator alone: it writes each event to a slot of its own.
 *
 * Values: `intended` from an event's due time, `sent` from when its sending began, both to the end
 * of the consumer's work; `late` the generator's own delay; `busy` and `idle` the service time of
 * events that waited and of those that found the consumer waiting; `full`, without a load, the time
 * in the queue.
 *
 * Run: harness/c/build/lab-harness queues --variant spsc --load 80 --cpus 0,1 --warmup 20
 *      --iterations 16 --iteration-ms 20 --out /tmp/x.hlog
 * Expect: `intended` of a few hundred nanoseconds; with --work 1000 its mean is that of M/D/1:
 * about 3 us.
 */
#include "blocking.h"
#include "experiment.h"
#include "load.h"
#include "pin.h"
#include "ring.h"
#include "vyukov.h"

#include <stdlib.h>
#include <string.h>

struct queues {
    struct load load; /* first: it is what the workload's hooks are given */
    int64_t most_ns;  /* past its deadline a wait is hopeless */
    struct ring ring;
    struct blocking blocking;
    struct vyukov vyukov;
    _Alignas(LAB_LINE) struct event nowhere;
};

static inline void flush_nothing(void *shared, struct source *source) {
    (void)shared;
    (void)source;
}

/* Makes load_claim, load_publish, load_take and load_release of what a queue has. */
static inline struct event *claim_spsc(void *shared, struct source *source,
                                       struct patience *patience) {
    return ring_claim(&((struct queues *)shared)->ring, source, patience);
}

static inline void publish_spsc(void *shared, struct source *source, struct event *slot) {
    (void)source;
    (void)slot;
    ring_publish(&((struct queues *)shared)->ring);
}

static inline struct event *take_spsc(void *shared, struct tally *tally,
                                      struct patience *patience) {
    return ring_take(&((struct queues *)shared)->ring, tally, patience);
}

static inline void release_spsc(void *shared, struct event *slot) {
    (void)slot;
    ring_release(&((struct queues *)shared)->ring);
}

static inline struct event *claim_batch(void *shared, struct source *source,
                                        struct patience *patience) {
    return ring_claim_batch(&((struct queues *)shared)->ring, source, patience);
}

static inline void publish_batch(void *shared, struct source *source, struct event *slot) {
    (void)source;
    (void)slot;
    ring_publish_batch(&((struct queues *)shared)->ring);
}

static inline void flush_batch(void *shared, struct source *source) {
    (void)source;
    ring_flush_batch(&((struct queues *)shared)->ring);
}

static inline struct event *claim_mutex(void *shared, struct source *source,
                                        struct patience *patience) {
    (void)patience;
    return blocking_claim(&((struct queues *)shared)->blocking, source);
}

static inline void publish_mutex(void *shared, struct source *source, struct event *slot) {
    (void)source;
    (void)slot;
    blocking_publish(&((struct queues *)shared)->blocking);
}

static inline struct event *take_mutex(void *shared, struct tally *tally,
                                       struct patience *patience) {
    (void)patience;
    return blocking_take(&((struct queues *)shared)->blocking, tally);
}

static inline void release_mutex(void *shared, struct event *slot) {
    (void)slot;
    blocking_release(&((struct queues *)shared)->blocking);
}

static inline struct event *claim_vyukov(void *shared, struct source *source,
                                         struct patience *patience) {
    return vyukov_claim(&((struct queues *)shared)->vyukov, source, patience);
}

static inline void publish_vyukov(void *shared, struct source *source, struct event *slot) {
    (void)shared;
    (void)source;
    vyukov_publish(slot);
}

static inline struct event *take_vyukov(void *shared, struct tally *tally,
                                        struct patience *patience) {
    struct vyukov *queue = &((struct queues *)shared)->vyukov;
    struct event *slot = vyukov_try_take(queue);
    if (!slot) {
        tally->idle_looks++;
        do {
            tally->failed_polls++;
            if (!load_wait(patience)) {
                return NULL;
            }
        } while (!(slot = vyukov_try_take(queue)));
    }
    return slot;
}

static inline void release_vyukov(void *shared, struct event *slot) {
    vyukov_release(&((struct queues *)shared)->vyukov, slot);
}

static inline struct event *claim_null(void *shared, struct source *source,
                                       struct patience *patience) {
    (void)source;
    (void)patience;
    return &((struct queues *)shared)->nowhere;
}

/* The event is written, as it would be into a queue. */
static inline void publish_null(void *shared, struct source *source, struct event *slot) {
    (void)shared;
    (void)source;
    (void)slot;
    compiler_barrier();
}

/* Takes all that is there, and gives it back together. */
static inline __attribute__((always_inline)) void consume_batches(struct worker *worker,
                                                                  struct queues *q, bool stamped) {
    struct load *load = &q->load;
    struct receipts *r = &load->receipts[0];
    struct ring *ring = &q->ring;
    struct patience patience = load_patient(load, worker, q->most_ns);
    const int64_t start = load_start(load, worker);
    struct tally t = r->tally;
    while (t.ends == 0) {
        if (!ring_await(ring, &t, &patience)) {
            load_abandon(load);
            break;
        }
        const int64_t before = t.handled;
        const int64_t began = t.batches % LOAD_BATCH_EVERY == 0 ? clock_ns() : 0;
        for (int64_t i = ring->taken; i < ring->tail_seen; i++) {
            const struct event *event = &ring->slots[i & ring->mask];
            if (__builtin_expect(event->number >= 0, 1)) {
                load_receive(load, r, &t, event, start, stamped, false);
            } else {
                load_ended(&t, event);
            }
        }
        ring->taken = ring->tail_seen;
        __atomic_store_n(&ring->head, ring->taken, __ATOMIC_RELEASE);
        load_batch(&t, t.handled - before, began);
    }
    t.end_ns = clock_ns();
    r->tally = t;
}

#define PRODUCE(name, flush, marks, stamped, several)                                              \
    load_pace(&q->load, worker, &q->load.sources[worker->index], q->most_ns, q, claim_##name,      \
              publish_##name, flush, marks, stamped, several)

#define CONSUME(name, stamped, several)                                                            \
    load_consume(&q->load, worker, &q->load.receipts[0], q->most_ns, q, take_##name,               \
                 release_##name, stamped, several)

/* Loops for events with times and without, of both sides. */
#define KERNEL(variant, produce, consume)                                                          \
    static void run_##variant(struct worker *worker, void *shared) {                               \
        struct queues *q = shared;                                                                 \
        const bool produces = worker->index < q->load.producers;                                   \
        if (q->load.stamped && produces) {                                                         \
            produce(true);                                                                         \
        } else if (q->load.stamped) {                                                              \
            consume(true);                                                                         \
        } else if (produces) {                                                                     \
            produce(false);                                                                        \
        } else {                                                                                   \
            consume(false);                                                                        \
        }                                                                                          \
    }

#define PRODUCE_SPSC(stamped) PRODUCE(spsc, flush_nothing, true, stamped, false)
#define PRODUCE_BATCH(stamped) PRODUCE(batch, flush_batch, true, stamped, false)
#define PRODUCE_MUTEX(stamped) PRODUCE(mutex, flush_nothing, true, stamped, false)
#define PRODUCE_VYUKOV(stamped) PRODUCE(vyukov, flush_nothing, true, stamped, true)
#define PRODUCE_NULL(stamped) PRODUCE(null, flush_nothing, false, stamped, false)
#define CONSUME_SPSC(stamped) CONSUME(spsc, stamped, false)
#define CONSUME_MUTEX(stamped) CONSUME(mutex, stamped, false)
#define CONSUME_VYUKOV(stamped) CONSUME(vyukov, stamped, true)
#define CONSUME_BATCHES(stamped) consume_batches(worker, q, stamped)
#define CONSUME_NOTHING(stamped) (void)(stamped)
KERNEL(spsc, PRODUCE_SPSC, CONSUME_SPSC)
KERNEL(sequenced, PRODUCE_SPSC, CONSUME_BATCHES)
KERNEL(sequenced_batch, PRODUCE_BATCH, CONSUME_BATCHES)
KERNEL(mutex, PRODUCE_MUTEX, CONSUME_MUTEX)
KERNEL(vyukov, PRODUCE_VYUKOV, CONSUME_VYUKOV)
KERNEL(null, PRODUCE_NULL, CONSUME_NOTHING)

#ifdef LAB_BROKEN_LOAD
/* What the checks have to notice: spsc with a fault in every BROKEN_EVERY-th event. */
enum { BROKEN_EVERY = 1000 };

static inline void publish_losing(void *shared, struct source *source, struct event *slot) {
    if (slot->number % BROKEN_EVERY != BROKEN_EVERY - 1) {
        publish_spsc(shared, source, slot);
    }
}

static inline void publish_doubling(void *shared, struct source *source, struct event *slot) {
    struct ring *ring = &((struct queues *)shared)->ring;
    publish_spsc(shared, source, slot);
    struct patience patience = {.load = shared, .until_ns = INT64_MAX};
    struct event *again;
    if (slot->number % BROKEN_EVERY == BROKEN_EVERY - 1 &&
        (again = ring_claim(ring, source, &patience))) {
        *again = *slot;
        ring_publish(ring);
    }
}

/* The one before may be taken already, and then this is right; not every time. */
static inline void publish_swapping(void *shared, struct source *source, struct event *slot) {
    struct ring *ring = &((struct queues *)shared)->ring;
    if (slot->number % BROKEN_EVERY == BROKEN_EVERY - 2) {
        ring->next++; /* written, not published */
        return;
    }
    if (slot->number % BROKEN_EVERY == BROKEN_EVERY - 1) {
        struct event *before = &ring->slots[(ring->next - 1) & ring->mask];
        const struct event kept = *before;
        *before = *slot;
        *slot = kept;
    }
    publish_spsc(shared, source, slot);
}

/* The content of an event, not its number. */
static inline void publish_spoiling(void *shared, struct source *source, struct event *slot) {
    slot->due += slot->number == BROKEN_EVERY;
    publish_spsc(shared, source, slot);
}

static inline struct event *take_stuck(void *shared, struct tally *tally,
                                       struct patience *patience) {
    while (tally->handled == BROKEN_EVERY && load_wait(patience)) {
    }
    return take_spsc(shared, tally, patience);
}

/* Ends before its end mark, as a thread that dies does. */
static inline struct event *take_quitting(void *shared, struct tally *tally,
                                          struct patience *patience) {
    return tally->handled == BROKEN_EVERY ? NULL : take_spsc(shared, tally, patience);
}

#define PRODUCE_LOSING(stamped) PRODUCE(losing, flush_nothing, true, stamped, false)
#define PRODUCE_DOUBLING(stamped) PRODUCE(doubling, flush_nothing, true, stamped, false)
#define PRODUCE_SWAPPING(stamped) PRODUCE(swapping, flush_nothing, true, stamped, false)
#define PRODUCE_SPOILING(stamped) PRODUCE(spoiling, flush_nothing, true, stamped, false)
#define claim_losing claim_spsc
#define claim_doubling claim_spsc
#define claim_swapping claim_spsc
#define claim_spoiling claim_spsc
#define release_stuck release_spsc
#define release_quitting release_spsc
#define CONSUME_STUCK(stamped) CONSUME(stuck, stamped, false)
#define CONSUME_QUITTING(stamped) CONSUME(quitting, stamped, false)
KERNEL(losing, PRODUCE_LOSING, CONSUME_SPSC)
KERNEL(doubling, PRODUCE_DOUBLING, CONSUME_SPSC)
KERNEL(swapping, PRODUCE_SWAPPING, CONSUME_SPSC)
KERNEL(spoiling, PRODUCE_SPOILING, CONSUME_SPSC)
KERNEL(stuck, PRODUCE_SPSC, CONSUME_STUCK)
KERNEL(quitting, PRODUCE_SPSC, CONSUME_QUITTING)
#endif

struct queue {
    void (*run)(struct worker *, void *);
    bool generator; /* and nothing else */
    bool many;      /* takes more than one producer */
};

static const struct variant variants[] = {
    {"sequenced", NULL, &(const struct queue){.run = run_sequenced}},
    {"sequenced_batch", NULL, &(const struct queue){.run = run_sequenced_batch}},
    {"spsc", NULL, &(const struct queue){.run = run_spsc}},
    {"mutex", NULL, &(const struct queue){.run = run_mutex}},
    {"vyukov", NULL, &(const struct queue){.run = run_vyukov, .many = true}},
    {"null", NULL, &(const struct queue){.run = run_null, .generator = true}},
#ifdef LAB_BROKEN_LOAD
    {"losing", NULL, &(const struct queue){.run = run_losing}},
    {"doubling", NULL, &(const struct queue){.run = run_doubling}},
    {"swapping", NULL, &(const struct queue){.run = run_swapping}},
    {"spoiling", NULL, &(const struct queue){.run = run_spoiling}},
    {"stuck", NULL, &(const struct queue){.run = run_stuck}},
    {"quitting", NULL, &(const struct queue){.run = run_quitting}},
#endif
    {0},
};

static const char *const topologies[] = {"one_to_one", "three_to_one", NULL};

static const struct parameter parameters[] = {
    {.name = "topology", .type = PARAMETER_CHOICE, .choices = topologies, .text = "one_to_one"},
    LOAD_PARAMETERS,
    {.name = "slots",
     .type = PARAMETER_INT,
     .min = 16,
     .max = 1 << 20,
     .number = 65536,
     .power_of_two = true},
    {.name = "batch", .type = PARAMETER_INT, .min = 1, .max = 1024, .number = 1},
    {0},
};

static int producers_of(const struct trial *trial) {
    return strcmp(trial_text(trial, "topology"), "three_to_one") == 0 ? 3 : 1;
}

static int threads_of(const struct trial *trial) {
    const struct queue *queue = trial->variant->implementation;
    return producers_of(trial) + !queue->generator;
}

static int check_topology(const struct trial *trial) {
    const struct queue *queue = trial->variant->implementation;
    const int producers = producers_of(trial);
    const int cpus = pin_distinct(trial->cpus, trial->cpu_count);
    if (producers > 1 && !queue->many) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--topology: 'three_to_one' is not accepted by %s: give one_to_one, it has "
                    "room for one producer; vyukov takes three",
                    trial->variant->name);
    }
    if (producers > 1 && cpus < trial->threads) {
        return fail(STATUS_UNSUPPORTED,
                    "--topology three_to_one: not supported: its %d threads spin and need a CPU "
                    "each, here are %d",
                    trial->threads, cpus);
    }
    if (trial_int(trial, "batch") > trial_int(trial, "slots")) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--batch: '%lld' is not accepted: give no more than --slots %lld",
                    (long long)trial_int(trial, "batch"), (long long)trial_int(trial, "slots"));
    }
    return 0;
}

/* The generator alone hands nothing over; its events count as handled when they are sent. */
static void measure_generator(void *shared, const struct worker *workers, int iteration,
                              struct recorder *recorder) {
    struct load *load = shared;
    const struct source *source = &load->sources[0];
    struct receipts *r = &load->receipts[0];
    r->tally.handled = r->tally.announced = source->sent;
    r->tally.numbers = source->sent * (source->sent - 1) / 2;
    for (int64_t i = 0; load->stamped && i < source->sent; i++) {
        r->tally.content ^= source->due[i];
        r->tally.latest = source->due[i];
    }
    r->tally.ends = 1;
    r->tally.end_ns = source->end_ns;
    load_measure(shared, workers, iteration, recorder);
}

static int measure_queue(const struct trial *trial, struct recorder *recorder, struct queues *q) {
    const struct queue *queue = trial->variant->implementation;
    const int64_t slots = trial_int(trial, "slots");
    ring_init(&q->ring, slots, trial_int(trial, "batch"));
    blocking_init(&q->blocking, slots);
    vyukov_init(&q->vyukov, slots);
    const int64_t patience_ns = load_patience(&q->load, slots);
    q->most_ns = patience_ns;
    const struct workload workload = {.shared = q,
                                      .phases = q->load.phases,
                                      .prepare = load_prepare,
                                      .run = queue->run,
                                      .measure =
                                          queue->generator ? measure_generator : load_measure,
                                      .patience_ns = 2 * patience_ns};
    int status = workers_run(trial, recorder, &workload, NULL);
    status = status ? status : load_finish(&q->load, recorder, queue->generator);
    recorder_check_equal(recorder, "events left in the queue", 0,
                         ring_left(&q->ring) + blocking_left(&q->blocking) +
                             vyukov_left(&q->vyukov));
    free(q->ring.slots);
    free(q->blocking.slots);
    free(q->vyukov.slots);
    return status;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    int status = check_topology(trial);
    if (status) {
        return status;
    }
    struct queues *q = allocate(1, sizeof *q);
    status = load_open(&q->load, trial, producers_of(trial), 1, true);
    status = status ? status : measure_queue(trial, recorder, q);
    load_close(&q->load);
    free(q);
    return status;
}

const struct experiment experiment_queues = {.name = "queues",
                                             .variants = variants,
                                             .parameters = parameters,
                                             .run = run,
                                             .threads_by = "topology",
                                             .threads = threads_of};
