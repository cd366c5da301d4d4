#ifndef LAB_IPC_ACCOUNT_H
#define LAB_IPC_ACCOUNT_H

#include "end.h"

enum { FLOOR_ITERATIONS = 5 };

/* What a trial adds up for its end. */
struct account {
    int64_t floor_ps[FLOOR_ITERATIONS]; /* one way by the bare word, of each iteration */
    int64_t *hop_ps;                    /* one way, of each measured iteration */
    int floors, hops;
    int64_t not_empty; /* iterations after which a ring was */
};

/* Of an iteration of a phase: its rows and measures. */
void end_account_iteration(struct account *account, const struct end *end,
                           const struct worker *worker, int iteration, const char *phase,
                           struct recorder *recorder);

/* Of the trial: what a message adds to the bare word, and the checks. */
void end_account_trial(struct account *account, const struct end *end, struct recorder *recorder);

#endif
