/*
 * The ways of notify_cost to wake a waiter: a condition variable with its mutex, and a futex.
 */
#include "clock.h"
#include "futex.h"
#include "notify_cost.h"

/* What a woken-too-early futex waiter is given to fall asleep in, before the next timed call. */
enum { FALL_ASLEEP_NS = 2000 };

/* The waiter found a number. The release pairs with the notifier's acquire in await_taken(). */
static void take(struct pair *pair, uint32_t sequence) {
    pair->taken++;
    pair->in_order += sequence == pair->acknowledged + 1;
    __atomic_store_n(&pair->acknowledged, sequence, __ATOMIC_RELEASE);
}

static void receive_cond(struct pair *pair) {
    pthread_mutex_lock(&pair->mutex);
    while (!pair->stopped) {
        if (pair->slot == pair->acknowledged) {
            pthread_cond_wait(&pair->changed, &pair->mutex);
        } else {
            take(pair, pair->slot);
        }
    }
    pthread_mutex_unlock(&pair->mutex);
}

static int64_t send_cond(struct pair *pair, uint32_t sequence) {
    pthread_mutex_lock(&pair->mutex);
    pair->slot = sequence;
    int64_t called = clock_ns();
    pthread_cond_signal(&pair->changed);
    int64_t returned = clock_ns();
    pthread_mutex_unlock(&pair->mutex);
    return returned - called;
}

/* The waiter acknowledges while it holds the mutex: whoever gets it after that finds it waiting. */
static void asleep_cond(struct pair *pair, UNUSED bool yields) {
    pthread_mutex_lock(&pair->mutex);
    pthread_mutex_unlock(&pair->mutex);
}

static void stop_cond(struct pair *pair) {
    pthread_mutex_lock(&pair->mutex);
    pair->stopped = true;
    pthread_cond_signal(&pair->changed);
    pthread_mutex_unlock(&pair->mutex);
}

static void receive_futex(struct pair *pair) {
    while (true) {
        uint32_t found = __atomic_load_n(&pair->slot, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&pair->stopped, __ATOMIC_ACQUIRE)) {
            return;
        }
        if (found == pair->acknowledged) {
            futex(&pair->slot, FUTEX_WAIT_PRIVATE, found);
        } else {
            take(pair, found);
        }
    }
}

static int64_t send_futex(struct pair *pair, uint32_t sequence) {
    __atomic_store_n(&pair->slot, sequence, __ATOMIC_RELEASE);
    int64_t called = clock_ns();
    long woken = futex(&pair->slot, FUTEX_WAKE_PRIVATE, 1);
    int64_t returned = clock_ns();
    pair->woken += woken == 1;
    return returned - called;
}

/* Nothing says that a thread sleeps on a futex, so it is given a moment; the measures `woken` and `wakes` tell how
 * often that was enough. */
static void asleep_futex(UNUSED struct pair *pair, bool yields) {
    if (yields) {
        sched_yield();
        return;
    }
    int64_t until = clock_ns() + FALL_ASLEEP_NS;
    while (clock_ns() < until) {
        cpu_relax();
    }
}

/* The word changes, so that a waiter about to sleep does not. */
static void stop_futex(struct pair *pair) {
    __atomic_store_n(&pair->stopped, true, __ATOMIC_RELEASE);
    __atomic_add_fetch(&pair->slot, 1, __ATOMIC_RELEASE);
    futex(&pair->slot, FUTEX_WAKE_PRIVATE, 1);
}

const struct mechanism notify_condition = {
    .receive = receive_cond, .send = send_cond, .asleep = asleep_cond, .stop = stop_cond};

const struct mechanism notify_futex = {
    .receive = receive_futex, .send = send_futex, .asleep = asleep_futex, .stop = stop_futex, .tells_woken = true};

#ifdef LAB_BROKEN_LOCK
#include "broken/notify.h"
#endif
