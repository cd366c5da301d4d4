#pragma once

#include "experiment.h"

/* The kernels of a workload whose `shared` is a struct end: an iteration over one kind of link. */
void run_word(struct worker *worker, void *end);
void run_ring(struct worker *worker, void *end);
void run_sleeper(struct worker *worker, void *end);
void run_descriptors(struct worker *worker, void *end);
void run_solo(struct worker *worker, void *end);
