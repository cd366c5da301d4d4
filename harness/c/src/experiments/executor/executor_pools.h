#pragma once

#include "executor.h"
#include "futex.h"

/*
 * How a task gets to a thread of the pool: for each kind of pool what a producer does with a task (a load_publish) and
 * how a thread gets the next one (a take_task). A task's address travels as the number of an event of the queue. Static
 * inline, for they are part of the loops that are measured (executor_loops.c).
 */

/* The next task; NULL when there is none and none will come. */
typedef struct task *take_task(struct executor *e, struct member *member);

/* The task of a slot that claim_task() gave, which counts as submitted from now on. */
static inline struct task *submitted(void *shared, struct source *source, struct event *slot) {
    struct task *task = (struct task *)slot;
    ((struct executor *)shared)->producers[source->index].next++;
    task->submitted++;
    return task;
}

static inline bool stopping(const struct executor *e) {
    return __atomic_load_n(&e->stopping, __ATOMIC_ACQUIRE);
}

/* A queue behind a mutex, whose threads sleep on its condition. */
static inline void publish_mutex(void *shared, struct source *source, struct event *slot) {
    struct blocking *queue = &((struct executor *)shared)->blocking;
    struct task *task = submitted(shared, source, slot);
    struct event *place = blocking_claim(queue, source, NULL);
    place->number = (int64_t)(intptr_t)task;
    blocking_publish(queue, source, place);
}

static inline struct task *take_mutex(struct executor *e, struct member *member) {
    struct blocking *queue = &e->blocking;
    pthread_mutex_lock(&queue->mutex);
    while (queue->put == queue->taken) {
        if (stopping(e)) {
            pthread_mutex_unlock(&queue->mutex);
            return NULL;
        }
        member->polls++;
        pthread_cond_wait(&queue->not_empty, &queue->mutex);
    }
    struct event *place = &queue->slots[queue->taken & queue->mask];
    struct task *task = (struct task *)(intptr_t)place->number;
    blocking_release(queue, place);
    return task;
}

/* A queue without a lock, whose threads ask it again and again. It has a place for every task, but a thread that lost
 * its CPU while it took one may still hold the place that is next. */
static inline void publish_vyukov(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    struct task *task = submitted(shared, source, slot);
    struct event *place;
    unsigned spins = 0;
    while (__builtin_expect(!(place = vyukov_try_claim(&e->vyukov)), 0)) {
        spin_wait(&spins, e->oversubscribed);
    }
    place->number = (int64_t)(intptr_t)task;
    vyukov_publish(&e->vyukov, source, place);
}

static inline struct task *try_take(struct executor *e) {
    struct event *place = vyukov_try_take(&e->vyukov);
    if (!place) {
        return NULL;
    }
    struct task *task = (struct task *)(intptr_t)place->number;
    vyukov_release(&e->vyukov, place);
    return task;
}

static inline struct task *take_vyukov(struct executor *e, struct member *member) {
    struct task *task;
    while (!(task = try_take(e)) && !stopping(e)) {
        member->polls++;
        spin_wait(&member->spins, e->oversubscribed);
    }
    return task ? task : try_take(e);
}

/* The same queue, whose threads sleep on a futex after `spin` looks in vain. The fence is between "the task is there"
 * and "who sleeps?", as the sleeper's is between "I sleep" and "is a task there?": without both each may miss what the
 * other has just said. */
static inline void publish_futex(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    publish_vyukov(shared, source, slot);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&e->sleepers, __ATOMIC_RELAXED) > 0) {
        __atomic_add_fetch(&e->calls, 1, __ATOMIC_SEQ_CST);
        futex(&e->calls, FUTEX_WAKE_PRIVATE, 1);
        e->producers[source->index].wakes++;
    }
}

/* Announces its sleep, looks once more, and sleeps unless it was called meanwhile. */
static inline struct task *sleep_until_called(struct executor *e) {
    const uint32_t calls = __atomic_load_n(&e->calls, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    struct task *task = try_take(e);
    if (!task && !stopping(e)) {
        futex(&e->calls, FUTEX_WAIT_PRIVATE, calls);
    }
    __atomic_sub_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    return task;
}

TEMPLATE struct task *take_or_sleep(struct executor *e, struct member *member,
                                    struct task *(*fall_asleep)(struct executor *)) {
    struct task *task;
    int64_t left = e->spin;
    while (!(task = try_take(e)) && !stopping(e)) {
        member->polls++;
        if (left-- > 0) {
            spin_wait(&member->spins, e->oversubscribed);
        } else if ((task = fall_asleep(e))) {
            return task;
        } else {
            left = e->spin;
        }
    }
    return task ? task : try_take(e);
}

static inline struct task *take_futex(struct executor *e, struct member *member) {
    return take_or_sleep(e, member, sleep_until_called);
}

/* Lets the threads go once they find nothing. The mutex, and the change of what sleepers sleep on, reach one that has
 * looked and is about to sleep. */
static inline void stop_pool(struct executor *e) {
    pthread_mutex_lock(&e->blocking.mutex);
    __atomic_store_n(&e->stopping, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&e->blocking.not_empty);
    pthread_mutex_unlock(&e->blocking.mutex);
    __atomic_add_fetch(&e->calls, 1, __ATOMIC_SEQ_CST);
    futex(&e->calls, FUTEX_WAKE_PRIVATE, INT32_MAX);
}
