#pragma once

#include "end.h"

/* Of an iteration of a phase: its rows and measures. */
void end_account_iteration(struct end *end, const struct worker *worker, int iteration, const char *phase,
                           struct recorder *recorder);

/* The checks of the trial. */
void end_account_trial(const struct end *end, struct recorder *recorder);
