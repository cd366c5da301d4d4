#pragma once

/* Queues that lose, repeat, swap or spoil events, a generator whose writes go astray and consumers that stop: of
 * queues_loops.c, whose checks have to notice. */

/* One in so many events. */
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
