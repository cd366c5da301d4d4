#pragma once

#include "owner_runs.h"

/*
 * What the runs of an iteration say: the time of an operation within a run, of each hand-over, of each wait, and so the
 * residence time of every operation. No model is in it but that the operations of a run take the same time each.
 */
struct hand_overs {
    double section_ns;     /* of an operation of an owner that goes on; NAN: runs are too short or few */
    double mean_ns;        /* of all hand-overs */
    int64_t hidden;        /* those that take no longer than an operation, as far as can be told */
    double median_between; /* operations of others between two runs of a thread; NAN: none came back */
    int64_t *hand_over;    /* of each run but the open one */
    int64_t *length;       /* in operations */
    int64_t *each;         /* residence time of its operations but the first */
    int64_t *rest;         /* how many those are */
    int64_t *wait;         /* from the end of a thread's run to its next entry */
    size_t runs, waits;
};

struct hand_overs hand_overs_of(const struct owner_runs *runs);
void hand_overs_free(struct hand_overs *found);
