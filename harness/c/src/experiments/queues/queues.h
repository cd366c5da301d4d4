#pragma once

#include "blocking.h"
#include "experiment.h"
#include "ring.h"
#include "vyukov.h"

/* What the files of this experiment share: a trial, and the loops that a variant consists of. */

struct queues;

/* An iteration of one side. */
typedef void queue_side(struct queues *q, struct worker *worker);

/* A way to hand events over. */
struct queue {
    queue_side *produce;
    queue_side *consume; /* NULL: the load generator alone, which hands nothing over */
    bool many;           /* takes more than one producer */
    bool awake;          /* its consumer never sleeps, where both sides have a CPU */
};

/* The structures lie side by side, and a trial uses one of them. */
struct queues {
    struct load load; /* first: it is what the workload's hooks are given */
    const struct queue *queue;
    int64_t most_ns; /* past its deadline a wait is hopeless */
    struct ring ring;
    struct blocking blocking;
    struct vyukov vyukov;
    _Alignas(LAB_LINE) struct event nowhere; /* the slot that the generator alone writes to */
};

/* In queues_loops.c, beside the loops; ends with a NULL name. */
extern const struct variant queues_variants[];
