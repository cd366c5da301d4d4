#pragma once

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;
struct recorder;
struct reading;
struct run_delay;

/* Column width of a series name. */
enum { SERIES_LENGTH = 32 };

/* The series and iteration of values that belong to the whole trial. */
#define WHOLE_TRIAL (-1)

/* Starts the histogram log (hlog.h). Returns NULL and fail()s with STATUS_NO_RESOURCES when its file cannot be made, in
 * `*status`. */
struct recorder *recorder_open(const char *out, int *status);

/*
 * One iteration of one series: folds `count` samples (nanoseconds) into a histogram, writes its log line and keeps the
 * row. `start_ns` is CLOCK_MONOTONIC. Call it outside timed stretches, from one thread. A sample outside the
 * histogram's range is never dropped: it fails the trial's check "values in range". `phase` must stay valid (a
 * literal).
 */
void recorder_row(struct recorder *recorder, int iteration, const char *phase, const char *series, int64_t start_ns,
                  int64_t elapsed_ns, int64_t operations, const int64_t *samples, size_t count);

/* The same of values that count `times` often each. */
void recorder_row_repeated(struct recorder *recorder, int iteration, const char *phase, const char *series,
                           int64_t start_ns, int64_t elapsed_ns, int64_t operations, const int64_t *values,
                           const int64_t *times, size_t count);

/* The rows of an iteration, none of which is made yet, are of the phase "compiled" and of no other: another part
 * compiled something in it. */
void recorder_compiled(struct recorder *recorder, int iteration);

/* "compiled" for the latest such iteration, else `phase`: of rows that are made later on. */
const char *recorder_phase(const struct recorder *recorder, int iteration, const char *phase);

/* A named scalar of one iteration (or WHOLE_TRIAL) and series ("": of all). */
void recorder_measure(struct recorder *recorder, int iteration, const char *series, const char *name, double value);

/* Part of every experiment: what had to come out and what did. A failed check ends the trial with
 * STATUS_CHECK_FAILED. */
void recorder_check(struct recorder *recorder, const char *name, const char *expected, const char *actual, bool passed);

/* The same for whole numbers, passed when they are equal. */
void recorder_check_equal(struct recorder *recorder, const char *name, int64_t expected, int64_t actual);

/* Where a thread was asked to run (-1: anywhere) and the mask read back. */
void recorder_pinning(struct recorder *recorder, int thread, int requested, const int *observed, int count);

/* What a worker read of the state of its CPU, and of the way to the next worker's, before an iteration; after the last
 * one, before the one that would follow. Without this call it is told that nobody read anything. */
void recorder_reading(struct recorder *recorder, int iteration, int thread, const struct reading *reading);

/* What the workers waited for a CPU in the phase "measured", one after the other. Without this call it is told that
 * nobody knows. */
void recorder_run_delay(struct recorder *recorder, const struct run_delay *waited, int workers);

/* 0, or fail(STATUS_CHECK_FAILED) naming the first check that failed. */
int recorder_verdict(struct recorder *recorder);

/* Flushes the log to disk and gives it its final name. 0 or fail(STATUS_NO_RESOURCES). */
int recorder_commit(struct recorder *recorder);

/* Writes the keys clock, pinning, run_delay, iterations, measures and checks into the open JSON object. */
void recorder_write(struct recorder *recorder, struct json *json);

/* Frees everything; a log that was not committed is removed when the process ends. */
void recorder_close(struct recorder *recorder);
