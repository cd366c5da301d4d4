#pragma once

/* Pools that lose tasks or wake-ups: of executor_loops.c, whose checks have to notice. */

enum { BROKEN_EVERY = 1000 };

static inline struct task *take_losing(struct executor *e, struct member *member) {
    struct task *task = take_vyukov(e, member);
    return task && task->event.number == BROKEN_EVERY ? take_vyukov(e, member) : task;
}

/* Leaves what is in the queue when it is told to stop, and is slow, so that something is. */
static inline struct task *take_forgetting(struct executor *e, struct member *member) {
    usleep(100);
    while (!stopping(e)) {
        struct task *task = try_take(e);
        if (task) {
            return task;
        }
        spin_wait(&member->spins, e->oversubscribed);
    }
    return NULL;
}

/* Does not look whether it may go. */
static inline struct task *take_staying(struct executor *e, struct member *member) {
    struct task *task;
    while (!(task = try_take(e))) {
        spin_wait(&member->spins, true);
    }
    return task;
}

/* Looks for tasks, and only then announces its sleep: who submits between the two does not call. That time is made
 * long, for a test cannot wait for one in a million. */
static inline struct task *sleep_carelessly(struct executor *e) {
    const uint32_t calls = __atomic_load_n(&e->calls, __ATOMIC_ACQUIRE);
    usleep(100);
    __atomic_add_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    if (!stopping(e)) {
        futex(&e->calls, FUTEX_WAIT_PRIVATE, calls);
    }
    __atomic_sub_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static inline struct task *take_careless(struct executor *e, struct member *member) {
    return take_or_sleep(e, member, sleep_carelessly);
}

/* Not broken: it loses its CPU between taking a task and freeing its place, until the other producers have filled the
 * queue up to that place. Nothing may come of that. */
static inline struct task *take_holding(struct executor *e, struct member *member) {
    enum { TURNS = 5000, TURN_US = 100 };
    struct event *place;
    while (!(place = vyukov_try_take(&e->vyukov))) {
        if (stopping(e)) {
            return NULL;
        }
        spin_wait(&member->spins, e->oversubscribed);
    }
    struct task *task = (struct task *)(intptr_t)place->number;
    if (task->event.number == BROKEN_EVERY) {
        const int64_t full = place->state - 1 + EXECUTOR_SLOTS;
        int64_t *put = &e->vyukov.put;
        for (int i = 0; i < TURNS && __atomic_load_n(put, __ATOMIC_RELAXED) < full; i++) {
            usleep(TURN_US);
        }
        usleep(TURN_US); /* in which a producer wants the place */
    }
    vyukov_release(&e->vyukov, place);
    return task;
}

SERVER(losing, take_losing, 1)
SERVER(twice, take_vyukov, 2)
SERVER(forgetting, take_forgetting, 1)
SERVER(staying, take_staying, 1)
SERVER(careless, take_careless, 1)
SERVER(holding, take_holding, 1)
