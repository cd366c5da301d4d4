#pragma once

#include "experiment.h"
#include "experiments/queues/blocking.h"
#include "experiments/queues/vyukov.h"
#include "load.h"

#include <pthread.h>

/* What a trial of executor consists of: tasks, who makes them, and the pool that runs them. */

enum {
    EXECUTOR_SLOTS = 1 << 16, /* of the pool's queue: as many as there are tasks at most */
    MEMBER_OBSERVED = 8,
};

/* Handed back and forth between its producer and a thread of the pool. */
struct task {
    _Alignas(64) struct event event; /* first: it is the slot that load_send() writes */
    int64_t submitted;               /* by its producer */
    int64_t uses;                    /* times it ran: by who ran it, as is the rest */
    int64_t done;                    /* times it was handed back */
    int64_t result;
};

/* Its producer's again. */
static inline bool task_done(const struct task *task) {
    return __atomic_load_n(&task->done, __ATOMIC_ACQUIRE) >= task->submitted;
}

struct producer {
    _Alignas(LAB_LINE) struct task *tasks;
    int64_t mask;
    int64_t next; /* tasks submitted so far */
    int64_t wakes;
};

struct executor;

/* A thread of the pool. */
struct member {
    _Alignas(LAB_LINE) struct executor *executor;
    struct receipts *receipts;
    int64_t polls; /* looks in vain since the last task */
    unsigned spins;
    pthread_t thread;
    int id, cpu, pin_error, observed_count;
    int observed[MEMBER_OBSERVED];
};

/* A way to run tasks. */
struct pool_kind {
    void (*run)(struct worker *, void *);              /* a producer's iteration */
    load_publish *publish;                             /* what submits a task in it */
    void (*serve)(struct executor *, struct member *); /* a thread's life; NULL: it has none */
    bool awake;                                        /* its threads never sleep, where each has a CPU */
};

struct executor {
    struct load load; /* first: it is what the workload's hooks are given */
    const struct pool_kind *kind;
    struct producer *producers;
    struct member *members;
    int workers;        /* of the pool */
    int started, ended; /* of them */
    int64_t most_ns;    /* past its deadline a wait is hopeless */
    int64_t spin;       /* looks in vain before a thread sleeps */
    bool oversubscribed;
    struct blocking blocking;
    struct vyukov vyukov;
    _Alignas(LAB_LINE) int ready;
    bool stopping;
    _Alignas(LAB_LINE) uint32_t calls; /* what sleepers sleep on: changed by every wake-up */
    _Alignas(LAB_LINE) int sleepers;
};

/* The next task of a producer, once it is done with; a load_claim. */
static inline struct event *claim_task(void *shared, struct source *source, struct patience *patience) {
    const struct producer *producer = &((struct executor *)shared)->producers[source->index];
    struct task *task = &producer->tasks[producer->next & producer->mask];
    if (__builtin_expect(!task_done(task), 0)) {
        source->full++;
        do {
            source->failed_offers++;
            if (!load_wait(patience)) {
                return NULL;
            }
        } while (!task_done(task));
    }
    return &task->event;
}

/* In executor_loops.c, beside the loops; ends with a NULL name. */
extern const struct variant executor_variants[];

/* Of the pool's threads, in executor_threads.c. Starts them: 0, or fail(). */
int executor_start_threads(struct executor *e, const struct trial *trial, struct recorder *recorder);
/* Their context switches so far; a workload.switches. */
void executor_switches(void *shared, int64_t *voluntary, int64_t *involuntary);
/* Lets them go and waits until they have ended, or too long. */
void executor_end_threads(struct executor *e);
