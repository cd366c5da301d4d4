/*
 * The loops of executor: what a producer does in an iteration, and a thread of the pool from its
 * start to the shutdown.
 *
 * They are templates around the ways to submit and to take (executor_pools.h), all inlined into
 * each other: a task costs no call but those that read the clock, lock a mutex or enter the kernel.
 * So the loops have to be compiled where these are visible, and the rest of the experiment need
 * not.
 */
#include "executor_pools.h"

/* `times`: 1, but for a test. */
static inline __attribute__((always_inline)) void run_task(struct executor *e, struct receipts *r, struct task *task,
                                                           bool stamped, int times) {
    for (int i = 0; i < times; i++) {
        load_receive(&e->load, r, &r->tally, &task->event, __atomic_load_n(&e->load.start_ns, __ATOMIC_RELAXED),
                     stamped, true);
        task->result += task->event.number & ((INT64_C(1) << LOAD_PRODUCER_SHIFT) - 1);
        task->uses++;
    }
    __atomic_store_n(&task->done, task->done + 1, __ATOMIC_RELEASE);
}

static inline void publish_caller(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    run_task(e, &e->load.receipts[source->index], submitted(shared, source, slot), e->load.stamped, 1);
}

/* The producer's side of an iteration: it ends when all its tasks are done. */
static inline __attribute__((always_inline)) void produce(struct executor *e, struct worker *worker,
                                                          load_publish *publish, bool stamped) {
    struct source *source = &e->load.sources[worker->index];
    const struct producer *producer = &e->producers[worker->index];
    load_pace(&e->load, worker, source, e->most_ns, e, claim_task, publish, flush_nothing, false, stamped, true);
    struct patience patience = load_patient(&e->load, worker, e->most_ns);
    for (int64_t i = producer->next - 1 - producer->mask; i < producer->next; i++) {
        while (i >= 0 && !task_done(&producer->tasks[i & producer->mask])) {
            if (!load_wait(&patience)) {
                return;
            }
        }
    }
    source->end_ns = clock_ns();
}

static inline __attribute__((always_inline)) void serve(struct executor *e, struct member *member, take_task *take,
                                                        bool stamped, int times) {
    struct receipts *r = member->receipts;
    struct task *task;
    while ((task = take(e, member))) {
        if (r->tally.handled > 0) { /* else it looked in vain before the iteration, too */
            r->tally.failed_polls += member->polls;
        }
        member->polls = 0;
        run_task(e, r, task, stamped, times);
    }
}

/* Both loops of a way to submit, and of a way to take: for tasks with times and without. */
#define PRODUCER(name)                                                                                                 \
    static void run_##name(struct worker *worker, void *shared) {                                                      \
        struct executor *e = shared;                                                                                   \
        if (e->load.stamped) {                                                                                         \
            produce(e, worker, publish_##name, true);                                                                  \
        } else {                                                                                                       \
            produce(e, worker, publish_##name, false);                                                                 \
        }                                                                                                              \
    }

#define SERVER(name, take, times)                                                                                      \
    static void serve_##name(struct executor *e, struct member *member) {                                              \
        if (e->load.stamped) {                                                                                         \
            serve(e, member, take, true, times);                                                                       \
        } else {                                                                                                       \
            serve(e, member, take, false, times);                                                                      \
        }                                                                                                              \
    }
PRODUCER(caller)
PRODUCER(mutex)
PRODUCER(vyukov)
PRODUCER(futex)
SERVER(mutex, take_mutex, 1)
SERVER(vyukov, take_vyukov, 1)
SERVER(futex, take_futex, 1)

#ifdef LAB_BROKEN_LOAD
/* What the checks have to notice. */
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

/* Looks for tasks, and only then announces its sleep: who submits between the two does not call.
 * That time is made long, for a test cannot wait for one in a million. */
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

/* Not broken: it loses its CPU between taking a task and freeing its place, until the other
 * producers have filled the queue up to that place. Nothing may come of that. */
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
#endif

const struct variant executor_variants[] = {
    {"caller", NULL, &(const struct pool_kind){run_caller, publish_caller, NULL, false}},
    {"pool_mutex", NULL, &(const struct pool_kind){run_mutex, publish_mutex, serve_mutex, false}},
    {"pool_vyukov", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_vyukov, true}},
    {"pool_futex", NULL, &(const struct pool_kind){run_futex, publish_futex, serve_futex, false}},
#ifdef LAB_BROKEN_LOAD
    {"losing", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_losing, true}},
    {"twice", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_twice, true}},
    {"forgetting", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_forgetting, true}},
    {"staying", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_staying, true}},
    {"careless", NULL, &(const struct pool_kind){run_futex, publish_futex, serve_careless, false}},
    {"holding", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_holding, true}},
#endif
    {0},
};
