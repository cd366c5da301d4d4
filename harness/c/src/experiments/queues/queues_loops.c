/*
 * The loops of queues: what each side of each variant does in an iteration.
 *
 * They are the templates of load.h around the functions of a structure (ring.h, blocking.h, vyukov.h), all inlined into
 * each other: an event costs no call but those that read the clock or lock a mutex. So the loops have to be compiled
 * where those functions are visible, and the rest of the experiment need not.
 */
#include "queues.h"

/* The producer's side, for events with times and without. */
TEMPLATE void produce(struct queues *q, struct worker *worker, void *structure, load_claim *claim,
                      load_publish *publish, load_flush *flush, bool marks, bool several) {
    struct load *load = &q->load;
    struct source *source = &load->sources[worker->index];
    if (load->stamped) {
        load_pace(load, worker, source, q->most_ns, structure, claim, publish, flush, marks, true, several);
    } else {
        load_pace(load, worker, source, q->most_ns, structure, claim, publish, flush, marks, false, several);
    }
}

/* The consumer's side, where events are taken one by one. */
TEMPLATE void consume(struct queues *q, struct worker *worker, void *structure, load_take *take, load_release *release,
                      bool several) {
    struct load *load = &q->load;
    struct receipts *r = &load->receipts[0];
    if (load->stamped) {
        load_consume(load, worker, r, q->most_ns, structure, take, release, true, several);
    } else {
        load_consume(load, worker, r, q->most_ns, structure, take, release, false, several);
    }
}

/* The consumer's side that takes all there is, and gives it back together. */
TEMPLATE void consume_batches(struct queues *q, struct worker *worker, bool stamped) {
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
        ring_release_all(ring);
        load_batch(&t, t.handled - before, began);
    }
    t.end_ns = clock_ns();
    r->tally = t;
}

static void consume_all(struct queues *q, struct worker *worker) {
    if (q->load.stamped) {
        consume_batches(q, worker, true);
    } else {
        consume_batches(q, worker, false);
    }
}

/* The generator alone writes each event to the same slot, as it would into a queue. */
static inline struct event *claim_nowhere(void *shared, UNUSED struct source *source,
                                          UNUSED struct patience *patience) {
    return shared;
}

static inline void publish_nowhere(UNUSED void *shared, UNUSED struct source *source, UNUSED struct event *slot) {
    compiler_barrier();
}

#define PRODUCER(name, structure, claim, publish, flush, marks, several)                                               \
    static void produce_##name(struct queues *q, struct worker *worker) {                                              \
        produce(q, worker, structure, claim, publish, flush, marks, several);                                          \
    }

#define CONSUMER(name, structure, take, release, several)                                                              \
    static void consume_##name(struct queues *q, struct worker *worker) {                                              \
        consume(q, worker, structure, take, release, several);                                                         \
    }
PRODUCER(ring, &q->ring, ring_claim, ring_publish, flush_nothing, true, false)
PRODUCER(batch, &q->ring, ring_claim_batch, ring_publish_batch, ring_flush_batch, true, false)
PRODUCER(mutex, &q->blocking, blocking_claim, blocking_publish, flush_nothing, true, false)
PRODUCER(vyukov, &q->vyukov, vyukov_claim, vyukov_publish, flush_nothing, true, true)
PRODUCER(null, &q->nowhere, claim_nowhere, publish_nowhere, flush_nothing, false, false)
CONSUMER(ring, &q->ring, ring_take, ring_release, false)
CONSUMER(mutex, &q->blocking, blocking_take, blocking_release, false)
CONSUMER(vyukov, &q->vyukov, vyukov_take, vyukov_release, true)

#ifdef LAB_BROKEN_LOAD
#include "broken/queues.h"
#endif

const struct variant queues_variants[] = {
    {"sequenced", NULL, &(const struct queue){produce_ring, consume_all, false, true}},
    {"sequenced_batch", NULL, &(const struct queue){produce_batch, consume_all, false, true}},
    {"spsc", NULL, &(const struct queue){produce_ring, consume_ring, false, true}},
    {"mutex", NULL, &(const struct queue){produce_mutex, consume_mutex, false, false}},
    {"vyukov", NULL, &(const struct queue){produce_vyukov, consume_vyukov, true, true}},
    {"null", NULL, &(const struct queue){produce_null, NULL, false, false}},
#ifdef LAB_BROKEN_LOAD
    {"losing", NULL, &(const struct queue){produce_losing, consume_ring, false, true}},
    {"doubling", NULL, &(const struct queue){produce_doubling, consume_ring, false, true}},
    {"swapping", NULL, &(const struct queue){produce_swapping, consume_ring, false, true}},
    {"spoiling", NULL, &(const struct queue){produce_spoiling, consume_ring, false, true}},
    {"astray", NULL, &(const struct queue){produce_astray, NULL, false, false}},
    {"stuck", NULL, &(const struct queue){produce_ring, consume_stuck, false, true}},
    {"quitting", NULL, &(const struct queue){produce_ring, consume_quitting, false, true}},
#endif
    {0},
};
