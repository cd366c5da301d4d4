/*
 * The loops of queues: what each side of each variant does in an iteration.
 *
 * They are the templates of load.h around the functions of a structure (ring.h, blocking.h,
 * vyukov.h), all inlined into each other: an event costs no call but those that read the clock or
 * lock a mutex. So the loops have to be compiled where those functions are visible, and the rest of
 * the experiment need not.
 */
#include "queues.h"

/* The producer's side, for events with times and without. */
static inline __attribute__((always_inline)) void produce(struct queues *q, struct worker *worker, void *structure,
                                                          load_claim *claim, load_publish *publish, load_flush *flush,
                                                          bool marks, bool several) {
    struct load *load = &q->load;
    struct source *source = &load->sources[worker->index];
    if (load->stamped) {
        load_pace(load, worker, source, q->most_ns, structure, claim, publish, flush, marks, true, several);
    } else {
        load_pace(load, worker, source, q->most_ns, structure, claim, publish, flush, marks, false, several);
    }
}

/* The consumer's side, where events are taken one by one. */
static inline __attribute__((always_inline)) void consume(struct queues *q, struct worker *worker, void *structure,
                                                          load_take *take, load_release *release, bool several) {
    struct load *load = &q->load;
    struct receipts *r = &load->receipts[0];
    if (load->stamped) {
        load_consume(load, worker, r, q->most_ns, structure, take, release, true, several);
    } else {
        load_consume(load, worker, r, q->most_ns, structure, take, release, false, several);
    }
}

/* The consumer's side that takes all there is, and gives it back together. */
static inline __attribute__((always_inline)) void consume_batches(struct queues *q, struct worker *worker,
                                                                  bool stamped) {
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
/* What the checks have to notice: the ring with a fault in every BROKEN_EVERY-th event. */
enum { BROKEN_EVERY = 1000 };

static inline void publish_losing(void *shared, struct source *source, struct event *slot) {
    if (slot->number % BROKEN_EVERY != BROKEN_EVERY - 1) {
        ring_publish(shared, source, slot);
    }
}

/* Where there is room for another one. */
static inline void publish_doubling(void *shared, struct source *source, struct event *slot) {
    struct ring *ring = shared;
    ring_publish(ring, source, slot);
    if (slot->number % BROKEN_EVERY == BROKEN_EVERY - 1 && ring->next - ring->head_seen <= ring->mask) {
        ring->slots[ring->next & ring->mask] = *slot;
        ring_publish(ring, source, slot);
    }
}

/* The one before may be taken already, and then this is right; not every time. */
static inline void publish_swapping(void *shared, struct source *source, struct event *slot) {
    struct ring *ring = shared;
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
    ring_publish(ring, source, slot);
}

/* The content of an event, not its number. */
static inline void publish_spoiling(void *shared, struct source *source, struct event *slot) {
    slot->due += slot->number == BROKEN_EVERY;
    ring_publish(shared, source, slot);
}

/* A generator whose writes go astray. */
static inline struct event *claim_astray(UNUSED void *shared, UNUSED struct source *source,
                                         UNUSED struct patience *patience) {
    static struct event astray;
    return &astray;
}

static inline struct event *take_stuck(void *shared, struct tally *tally, struct patience *patience) {
    while (tally->handled == BROKEN_EVERY && load_wait(patience)) {
    }
    return ring_take(shared, tally, patience);
}

/* Ends before its end mark, as a thread that dies does. */
static inline struct event *take_quitting(void *shared, struct tally *tally, struct patience *patience) {
    return tally->handled == BROKEN_EVERY ? NULL : ring_take(shared, tally, patience);
}

PRODUCER(losing, &q->ring, ring_claim, publish_losing, flush_nothing, true, false)
PRODUCER(doubling, &q->ring, ring_claim, publish_doubling, flush_nothing, true, false)
PRODUCER(swapping, &q->ring, ring_claim, publish_swapping, flush_nothing, true, false)
PRODUCER(spoiling, &q->ring, ring_claim, publish_spoiling, flush_nothing, true, false)
PRODUCER(astray, &q->nowhere, claim_astray, publish_nowhere, flush_nothing, false, false)
CONSUMER(stuck, &q->ring, take_stuck, ring_release, false)
CONSUMER(quitting, &q->ring, take_quitting, ring_release, false)
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
