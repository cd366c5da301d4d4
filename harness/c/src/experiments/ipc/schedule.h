#ifndef LAB_IPC_SCHEDULE_H
#define LAB_IPC_SCHEDULE_H

#include "experiment.h"
#include "workers.h"

#include <stdbool.h>

/*
 * The iterations of a trial of two processes. Both have the same, whatever their language. The
 * floor, what a bare word takes, is measured among the iterations of messages, since where the CPUs
 * are to each other may change in a trial.
 */
enum { FLOOR_ITERATIONS = 5, SCHEDULE_PHASES = 2 + 2 * FLOOR_ITERATIONS + 1 };

/* As many warm-up iterations of the bare word as of messages, then as many of messages as are
 * measured, in five parts, each after one of the bare word. */
void schedule(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* Of one process, which has nobody to pass a word to. */
void schedule_alone(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* Whether the phase is one of the bare word. */
bool schedule_floor(const struct phase *phase);

#endif
