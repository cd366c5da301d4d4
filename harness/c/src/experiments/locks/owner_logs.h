#pragma once

#include "experiment.h"
#include "owner_log.h"

/*
 * The logs of a trial, one of each thread. Every second iteration is logged; the others, by a loop that knows of no
 * log, show what that costs. All is put together when the trial is over.
 */
struct owner_logs;

/* NULL where --log is 0. */
struct owner_logs *owner_logs_open(const struct trial *trial);

/* The log of a thread; NULL in an iteration that is not logged. */
struct owner_log *owner_logs_of(struct owner_logs *logs, int thread);

/* Before an iteration that begins with that count, and after it. */
void owner_logs_prepare(struct owner_logs *logs, int iteration, uint64_t count);
void owner_logs_ended(struct owner_logs *logs, int iteration, const struct worker *workers,
                      const struct recorder *recorder);

/* Leaves, after the last iteration, what the logs say. With one thread that is nothing. */
void owner_logs_leave(struct owner_logs *logs, struct recorder *recorder);

void owner_logs_close(struct owner_logs *logs);
