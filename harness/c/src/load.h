#pragma once

#include "load/batches.h"
#include "load/pacer.h"
#include "load/patience.h"
#include "load/receipts.h"
#include "load/receiver.h"
#include "load/sender.h"
#include "load/state.h"

/*
 * A load generator: producers send numbered events on a schedule, consumers handle and check them. The loop is open: an
 * event that is late keeps its due time, none is left out, and what is due is sent at once. load_pace() is the loop of
 * a producer, load_receive() what a consumer does with an event; what lies between them is the experiment's. Its
 * functions are constants wherever the templates are called, so that every variant becomes loops of its own.
 *
 * With --load or --rate a trial has the phases warmup, capacity (the highest rate of arrivals that the consumers bear
 * is looked for, over the same code), measured (--load percent of that capacity) and capacity_after. Without, it has
 * warmup and measured, both as fast as possible, and events carry no times but for one in LOAD_UNSTAMPED_EVERY.
 *
 * The files of load/ are the twins of the classes of Java's lab.load that have their names. What an experiment needs is
 * here; headers that are not included are for the generator alone.
 */

/* The parameters of an experiment under load, for its array of them. */
#define LOAD_PARAMETERS                                                                                                \
    INT_PARAMETER("load", 0, 120, 0), INT_PARAMETER("rate", 0, 1000000000, 0),                                         \
        CHOICE_PARAMETER("arrivals", load_arrivals, "poisson"), INT_PARAMETER("seed", 0, INT64_MAX, 1),                \
        POWER_PARAMETER("sample-every", 1, 4096, 16), INT_PARAMETER("work", 0, 1000000, 0),                            \
        CHOICE_PARAMETER("work-kind", load_work_kinds, "constant"), INT_PARAMETER("stall-ms", 0, 10000, 0)
extern const char *const load_arrivals[], *const load_work_kinds[];

/* Reads the parameters and gives every side its state. `in_order`: every consumer handles all events of a producer. 0,
 * or fail(). load_close() frees it in either case. */
int load_open(struct load *load, const struct trial *trial, int producers, int consumers, bool in_order);
void load_close(struct load *load);

/* Parts of a workload whose `shared` begins with a struct load. The rows are those of the consumers: its series is
 * "". */
void load_prepare(void *load, struct worker *workers, int iteration);
void load_measure(void *load, const struct worker *workers, int iteration, struct recorder *recorder);

/* How long an iteration may take. `queued`: events that may wait when the producers end. */
int64_t load_patience(const struct load *load, int64_t queued);

/* The checks and the measures of the whole trial. 0, or fail() where it could not go on. */
int load_finish(struct load *load, struct recorder *recorder);
