#pragma once

#include "end.h"

/*
 * The iterations of a trial of two processes. Both have the same, whatever their language. The
 * floors, what a bare word and a bare wake-up take, are measured among the iterations of messages,
 * since where the CPUs are to each other may change in a trial.
 */
enum { FLOOR_ITERATIONS = 5, SCHEDULE_PHASES = 3 + 3 * FLOOR_ITERATIONS + 1 };

/* As many warm-up iterations of the bare word as of messages and a quarter of them of the bare
 * wake-up, then as many of messages as are measured, in five parts, each after one of the bare
 * wake-up and one of the bare word. */
void schedule(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* Of one process, which has nobody to pass a word to. */
void schedule_alone(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* What is passed in the phase. */
enum passed schedule_passes(const struct phase *phase);
