#pragma once

#include "clock.h"

#include <stdint.h>

struct hdr;

/*
 * A histogram log, format version 1.3: a header, then a line for each histogram, as org.HdrHistogram.HistogramLogWriter
 * prints them. Written to a file of its own until it is whole.
 */
struct hlog;

/* Starts the log as `out`.part. Returns NULL and fail()s with STATUS_NO_RESOURCES when that file cannot be made, in
 * `*status`. */
struct hlog *hlog_open(const char *out, int *status);

/* The clocks that the log's times are made by, read when it was opened. */
struct clock_pair hlog_clock(const struct hlog *log);

/* A line. `start_ns` is CLOCK_MONOTONIC. */
void hlog_line(struct hlog *log, const char *series, int64_t start_ns, int64_t elapsed_ns, const struct hdr *hdr);

/* Flushes the log to disk and gives it its final name. 0 or fail(STATUS_NO_RESOURCES). */
int hlog_commit(struct hlog *log);

/* Frees everything; a log that was not committed is removed when the process ends. */
void hlog_close(struct hlog *log);
