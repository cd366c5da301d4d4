#pragma once

#include "load.h"

/*
 * The bounded queue of many to many by Dmitry Vyukov (1024cores.net): every slot has a turn of its own, event.state,
 * which says whose it is. A side claims a slot by advancing its index, and gives it to the other by advancing the turn:
 * by 1 for the consumers, to the next round for the producers. Nobody writes an index of the other side.
 */
struct vyukov {
    _Alignas(LAB_LINE) int64_t put;
    _Alignas(LAB_LINE) int64_t taken;
    _Alignas(LAB_LINE) struct event *slots;
    int64_t mask;
};

static inline void vyukov_init(struct vyukov *queue, int64_t slots) {
    queue->slots = allocate((size_t)slots, sizeof *queue->slots);
    queue->mask = slots - 1;
    for (int64_t i = 0; i < slots; i++) {
        queue->slots[i].state = i;
    }
}

static inline int64_t vyukov_left(const struct vyukov *queue) {
    return queue->put - queue->taken;
}

/* The next slot of a side whose turn is `ahead` of its index; NULL when it is the other side's. */
static inline struct event *vyukov_try(struct vyukov *queue, int64_t *index, int64_t ahead) {
    int64_t at = __atomic_load_n(index, __ATOMIC_RELAXED);
    while (true) {
        struct event *slot = &queue->slots[at & queue->mask];
        const int64_t turn = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) - ahead;
        if (turn == at) {
            if (__atomic_compare_exchange_n(index, &at, at + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                return slot;
            }
        } else if (turn < at) {
            return NULL;
        } else {
            at = __atomic_load_n(index, __ATOMIC_RELAXED);
        }
    }
}

static inline struct event *vyukov_try_claim(struct vyukov *queue) {
    return vyukov_try(queue, &queue->put, 0);
}

static inline struct event *vyukov_try_take(struct vyukov *queue) {
    return vyukov_try(queue, &queue->taken, 1);
}

static inline struct event *vyukov_claim(void *shared, struct source *source, struct patience *patience) {
    struct vyukov *queue = shared;
    struct event *slot = vyukov_try_claim(queue);
    if (__builtin_expect(!slot, 0)) {
        source->full++;
        do {
            source->failed_offers++;
            if (!load_wait(patience)) {
                return NULL;
            }
        } while (!(slot = vyukov_try_claim(queue)));
    }
    return slot;
}

static inline void vyukov_publish(UNUSED void *shared, UNUSED struct source *source, struct event *slot) {
    __atomic_store_n(&slot->state, slot->state + 1, __ATOMIC_RELEASE);
}

static inline struct event *vyukov_take(void *shared, struct tally *tally, struct patience *patience) {
    struct vyukov *queue = shared;
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

static inline void vyukov_release(void *shared, struct event *slot) {
    const struct vyukov *queue = shared;
    __atomic_store_n(&slot->state, slot->state + queue->mask, __ATOMIC_RELEASE);
}
