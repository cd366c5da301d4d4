/*
 * The loops of executor: what a producer does in an iteration, and a thread of the pool from its start to the shutdown.
 *
 * They are templates around the ways to submit and to take (executor_pools.h), all inlined into each other: a task
 * costs no call but those that read the clock, lock a mutex or enter the kernel. So the loops have to be compiled where
 * these are visible, and the rest of the experiment need not.
 */
#include "executor_pools.h"

/* `times`: 1, but for a test. */
TEMPLATE void run_task(struct executor *e, struct receipts *r, struct task *task, bool stamped, int times) {
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
TEMPLATE void produce(struct executor *e, struct worker *worker, load_publish *publish, bool stamped) {
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

TEMPLATE void serve(struct executor *e, struct member *member, take_task *take, bool stamped, int times) {
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
#include "broken/executor.h"
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
