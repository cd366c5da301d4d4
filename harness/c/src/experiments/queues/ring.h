#pragma once

#include "load.h"

/*
 * A ring for one producer and one consumer. Each side has the index it writes on a line of its own, and keeps what it
 * last saw of the other's, so that it reads the other's line only when that is not enough. Taken event by event it is
 * the usual queue of one to one; with all that is there taken at once, and claims of several slots, it is what the
 * Disruptor is with one producer.
 *
 * What a side does with it has the types that load.h asks for (load_claim and so on, `shared` being the ring), so that
 * a loop is given the functions themselves. They are static inline here, as in blocking.h and vyukov.h, because a loop
 * measures them only as part of itself: a call per event would cost about as much as they do.
 */
struct ring {
    _Alignas(LAB_LINE) int64_t tail; /* published by the producer */
    _Alignas(LAB_LINE) int64_t head; /* given back by the consumer */
    _Alignas(LAB_LINE) int64_t next; /* the producer's */
    int64_t claimed, head_seen, batch;
    _Alignas(LAB_LINE) int64_t taken; /* the consumer's */
    int64_t tail_seen;
    _Alignas(LAB_LINE) struct event *slots;
    int64_t mask;
};

static inline void ring_init(struct ring *ring, int64_t slots, int64_t batch) {
    ring->slots = allocate((size_t)slots, sizeof *ring->slots);
    ring->mask = slots - 1;
    ring->batch = batch;
}

static inline int64_t ring_left(const struct ring *ring) {
    return ring->tail - ring->head;
}

/* Waits until slots up to `wanted` are free. */
static inline bool ring_room(struct ring *ring, struct source *source, struct patience *patience, int64_t wanted) {
    if (__builtin_expect(wanted - ring->head_seen <= ring->mask + 1, 1)) {
        return true;
    }
    ring->head_seen = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    if (wanted - ring->head_seen <= ring->mask + 1) {
        return true;
    }
    source->full++;
    do {
        source->failed_offers++;
        if (!load_wait(patience)) {
            return false;
        }
        ring->head_seen = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    } while (wanted - ring->head_seen > ring->mask + 1);
    return true;
}

static inline struct event *ring_claim(void *shared, struct source *source, struct patience *patience) {
    struct ring *ring = shared;
    return ring_room(ring, source, patience, ring->next + 1) ? &ring->slots[ring->next & ring->mask] : NULL;
}

static inline void ring_publish(void *shared, UNUSED struct source *source, UNUSED struct event *slot) {
    struct ring *ring = shared;
    ring->next++;
    __atomic_store_n(&ring->tail, ring->next, __ATOMIC_RELEASE);
}

/* Claims of several slots, published together: when the claim is full, or nothing follows. */
static inline struct event *ring_claim_batch(void *shared, struct source *source, struct patience *patience) {
    struct ring *ring = shared;
    if (ring->next == ring->claimed) {
        if (!ring_room(ring, source, patience, ring->claimed + ring->batch)) {
            return NULL;
        }
        ring->claimed += ring->batch;
    }
    return &ring->slots[ring->next & ring->mask];
}

static inline void ring_publish_batch(void *shared, UNUSED struct source *source, UNUSED struct event *slot) {
    struct ring *ring = shared;
    if (++ring->next == ring->claimed) {
        __atomic_store_n(&ring->tail, ring->next, __ATOMIC_RELEASE);
    }
}

static inline void ring_flush_batch(void *shared, UNUSED struct source *source) {
    struct ring *ring = shared;
    if (ring->next != ring->claimed) { /* else it is published already */
        __atomic_store_n(&ring->tail, ring->next, __ATOMIC_RELEASE);
    }
}

/* Waits until something is there. */
static inline bool ring_await(struct ring *ring, struct tally *tally, struct patience *patience) {
    ring->tail_seen = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    if (ring->tail_seen != ring->taken) {
        return true;
    }
    tally->idle_looks++;
    do {
        tally->failed_polls++;
        if (!load_wait(patience)) {
            return false;
        }
        ring->tail_seen = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    } while (ring->tail_seen == ring->taken);
    return true;
}

static inline struct event *ring_take(void *shared, struct tally *tally, struct patience *patience) {
    struct ring *ring = shared;
    if (ring->taken == ring->tail_seen && !ring_await(ring, tally, patience)) {
        return NULL;
    }
    return &ring->slots[ring->taken & ring->mask];
}

static inline void ring_release(void *shared, UNUSED struct event *slot) {
    struct ring *ring = shared;
    ring->taken++;
    __atomic_store_n(&ring->head, ring->taken, __ATOMIC_RELEASE);
}

/* Gives all back that ring_await() saw. */
static inline void ring_release_all(struct ring *ring) {
    ring->taken = ring->tail_seen;
    __atomic_store_n(&ring->head, ring->taken, __ATOMIC_RELEASE);
}
