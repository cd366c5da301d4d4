#ifndef LAB_IPC_ACCOUNT_H
#define LAB_IPC_ACCOUNT_H

#include "end.h"

/* What a trial adds up for its end. */
struct account {
    int64_t not_empty; /* iterations after which a ring was */
};

/* Of an iteration of a phase: its rows and measures. */
void end_account_iteration(struct account *account, const struct end *end,
                           const struct worker *worker, int iteration, const char *phase,
                           struct recorder *recorder);

/* The checks of the trial. */
void end_account_trial(const struct account *account, const struct end *end, struct recorder *recorder);

#endif
