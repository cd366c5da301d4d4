#pragma once

#include "load.h"

#include <pthread.h>

/*
 * A bounded queue behind a mutex, with a condition for each side: the twin of ArrayBlockingQueue, which also signals at
 * every put and take, inside the lock. A slot is written and read under the mutex. Waits sleep, and are ended by the
 * workload's patience alone.
 */
struct blocking {
    _Alignas(LAB_LINE) pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    int64_t put, taken;
    int64_t mask;
    struct event *slots;
};

static inline void blocking_init(struct blocking *queue, int64_t slots) {
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
    queue->slots = allocate((size_t)slots, sizeof *queue->slots);
    queue->mask = slots - 1;
}

static inline int64_t blocking_left(const struct blocking *queue) {
    return queue->put - queue->taken;
}

/* Holds the mutex until blocking_publish(). */
static inline struct event *blocking_claim(void *shared, struct source *source, UNUSED struct patience *patience) {
    struct blocking *queue = shared;
    pthread_mutex_lock(&queue->mutex);
    if (__builtin_expect(queue->put - queue->taken > queue->mask, 0)) {
        source->full++;
        do {
            source->failed_offers++;
            pthread_cond_wait(&queue->not_full, &queue->mutex);
        } while (queue->put - queue->taken > queue->mask);
    }
    return &queue->slots[queue->put & queue->mask];
}

static inline void blocking_publish(void *shared, UNUSED struct source *source, UNUSED struct event *slot) {
    struct blocking *queue = shared;
    queue->put++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->mutex);
}

/* Holds the mutex until blocking_release(). */
static inline struct event *blocking_take(void *shared, struct tally *tally, UNUSED struct patience *patience) {
    struct blocking *queue = shared;
    pthread_mutex_lock(&queue->mutex);
    if (queue->put == queue->taken) {
        tally->idle_looks++;
        do {
            tally->failed_polls++;
            pthread_cond_wait(&queue->not_empty, &queue->mutex);
        } while (queue->put == queue->taken);
    }
    return &queue->slots[queue->taken & queue->mask];
}

static inline void blocking_release(void *shared, UNUSED struct event *slot) {
    struct blocking *queue = shared;
    queue->taken++;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->mutex);
}
