#include "recorder.h"
#include "allocate.h"
#include "hdr.h"
#include "hlog.h"
#include "json.h"
#include "reading.h"
#include "run_delay.h"
#include "status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int iteration;
    const char *phase;
    char series[SERIES_LENGTH];
    int64_t start_ns, elapsed_ns, operations;
};

struct measure {
    int iteration;
    char series[SERIES_LENGTH];
    char name[64];
    double value;
};

struct check {
    char name[96], expected[96], actual[96];
    bool passed;
};

struct pinning {
    int thread, requested, count;
    int observed[8]; /* one when pinned; room to show a mask that is not what was asked for */
};

struct taken {
    int iteration, thread;
    struct reading reading;
};

/* A growing array of fixed-size entries. */
struct table {
    void *entries;
    size_t count, capacity;
};

struct recorder {
    struct hlog *log;
    struct table rows, measures, checks, pinnings, waited, readings;
    int64_t out_of_range; /* the first such value */
    bool in_range;
    int compiled; /* the last such iteration; -1: none */
    struct hdr hdr;
};

static void *append(struct table *table, size_t size) {
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 64;
        table->entries = reallocate(table->entries, table->capacity * size);
    }
    void *entry = (char *)table->entries + table->count++ * size;
    return memset(entry, 0, size);
}

static void copy(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

struct recorder *recorder_open(const char *out, int *status) {
    struct hlog *log = hlog_open(out, status);
    if (!log) {
        return NULL;
    }
    struct recorder *recorder = allocate(1, sizeof *recorder);
    recorder->log = log;
    recorder->in_range = true;
    recorder->compiled = -1;
    return recorder;
}

void recorder_row(struct recorder *recorder, int iteration, const char *phase, const char *series, int64_t start_ns,
                  int64_t elapsed_ns, int64_t operations, const int64_t *samples, size_t count) {
    recorder_row_repeated(recorder, iteration, phase, series, start_ns, elapsed_ns, operations, samples, NULL, count);
}

void recorder_row_repeated(struct recorder *recorder, int iteration, const char *phase, const char *series,
                           int64_t start_ns, int64_t elapsed_ns, int64_t operations, const int64_t *values,
                           const int64_t *times, size_t count) {
    hdr_reset(&recorder->hdr);
    for (size_t i = 0; i < count; i++) {
        const int64_t often = times ? times[i] : 1;
        if (often > 0 && !hdr_record(&recorder->hdr, values[i], often) && recorder->in_range) {
            recorder->in_range = false;
            recorder->out_of_range = values[i];
        }
    }
    struct row *row = append(&recorder->rows, sizeof *row);
    *row = (struct row){.iteration = iteration,
                        .phase = recorder_phase(recorder, iteration, phase),
                        .start_ns = start_ns,
                        .elapsed_ns = elapsed_ns,
                        .operations = operations};
    copy(row->series, sizeof row->series, series);
    hlog_line(recorder->log, row->series, start_ns, elapsed_ns, &recorder->hdr);
}

void recorder_compiled(struct recorder *recorder, int iteration) {
    recorder->compiled = iteration;
}

const char *recorder_phase(const struct recorder *recorder, int iteration, const char *phase) {
    return iteration == recorder->compiled ? "compiled" : phase;
}

void recorder_measure(struct recorder *recorder, int iteration, const char *series, const char *name, double value) {
    struct measure *measure = append(&recorder->measures, sizeof *measure);
    measure->iteration = iteration;
    measure->value = value;
    copy(measure->series, sizeof measure->series, series);
    copy(measure->name, sizeof measure->name, name);
}

void recorder_check(struct recorder *recorder, const char *name, const char *expected, const char *actual,
                    bool passed) {
    struct check *check = append(&recorder->checks, sizeof *check);
    check->passed = passed;
    copy(check->name, sizeof check->name, name);
    copy(check->expected, sizeof check->expected, expected);
    copy(check->actual, sizeof check->actual, actual);
}

void recorder_check_equal(struct recorder *recorder, const char *name, int64_t expected, int64_t actual) {
    char left[32];
    char right[32];
    snprintf(left, sizeof left, "%" PRId64, expected);
    snprintf(right, sizeof right, "%" PRId64, actual);
    recorder_check(recorder, name, left, right, expected == actual);
}

void recorder_pinning(struct recorder *recorder, int thread, int requested, const int *observed, int count) {
    struct pinning *pinning = append(&recorder->pinnings, sizeof *pinning);
    pinning->thread = thread;
    pinning->requested = requested;
    for (int i = 0; i < count && pinning->count < 8; i++) {
        pinning->observed[pinning->count++] = observed[i];
    }
}

void recorder_reading(struct recorder *recorder, int iteration, int thread, const struct reading *reading) {
    struct taken *taken = append(&recorder->readings, sizeof *taken);
    *taken = (struct taken){.iteration = iteration, .thread = thread, .reading = *reading};
}

void recorder_run_delay(struct recorder *recorder, const struct run_delay *waited, int workers) {
    for (int i = 0; i < workers; i++) {
        *(struct run_delay *)append(&recorder->waited, sizeof *waited) = waited[i];
    }
}

int recorder_verdict(struct recorder *recorder) {
    if (!recorder->in_range) {
        char range[64];
        char actual[32];
        snprintf(range, sizeof range, "0..%" PRId64, HDR_HIGHEST);
        snprintf(actual, sizeof actual, "%" PRId64, recorder->out_of_range);
        recorder_check(recorder, "values in range", range, actual, false);
    }
    const struct check *checks = recorder->checks.entries;
    for (size_t i = 0; i < recorder->checks.count; i++) {
        if (!checks[i].passed) {
            return fail(STATUS_CHECK_FAILED, "check failed: %s: expected %s, got %s", checks[i].name,
                        checks[i].expected, checks[i].actual);
        }
    }
    return 0;
}

int recorder_commit(struct recorder *recorder) {
    return hlog_commit(recorder->log);
}

void recorder_close(struct recorder *recorder) {
    hlog_close(recorder->log);
    free(recorder->rows.entries);
    free(recorder->measures.entries);
    free(recorder->checks.entries);
    free(recorder->pinnings.entries);
    free(recorder->waited.entries);
    free(recorder->readings.entries);
    free(recorder);
}

/* One column: an array with `write` applied to every entry of a table. */
#define COLUMN(json, table, type, key, write)                                                                          \
    do {                                                                                                               \
        json_key(json, key);                                                                                           \
        json_open(json, '[');                                                                                          \
        for (size_t i = 0; i < (table).count; i++) {                                                                   \
            const type *entry = (const type *)(table).entries + i;                                                     \
            write;                                                                                                     \
        }                                                                                                              \
        json_close(json, ']');                                                                                         \
    } while (0)

static void write_pinning(const struct pinning *pinning, struct json *json) {
    json_open(json, '{');
    json_key(json, "thread");
    json_int(json, pinning->thread);
    json_key(json, "requested");
    if (pinning->requested < 0) {
        json_null(json);
    } else {
        json_int(json, pinning->requested);
    }
    json_key(json, "observed");
    json_open(json, '[');
    for (int i = 0; i < pinning->count; i++) {
        json_int(json, pinning->observed[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_check(const struct check *check, struct json *json) {
    json_open(json, '{');
    json_key(json, "name");
    json_string(json, check->name);
    json_key(json, "expected");
    json_string(json, check->expected);
    json_key(json, "actual");
    json_string(json, check->actual);
    json_key(json, "passed");
    json_bool(json, check->passed);
    json_close(json, '}');
}

static void write_run_delay(const struct table *waited, struct json *json) {
    json_key(json, "run_delay");
    if (waited->count == 0) {
        json_null(json);
        return;
    }
    const struct run_delay *first = waited->entries;
    json_open(json, '{');
    json_key(json, "process_ns");
    json_int(json, first->process_ns);
    COLUMN(json, *waited, struct run_delay, "wall_ns", json_int(json, entry->at_ns));
    COLUMN(json, *waited, struct run_delay, "ran_ns", json_int(json, entry->ran_ns));
    COLUMN(json, *waited, struct run_delay, "run_delay_ns", json_int(json, entry->delay_ns));
    json_close(json, '}');
}

/* To 0.1 and 1 ps, of words to 100: less is noise, and makes the trial's file longer. */
static double rounded(double ns, double per) {
    return round(ns * per) / per;
}

static void write_readings(const struct table *readings, struct json *json) {
    json_key(json, "readings");
    if (readings->count == 0) {
        json_null(json);
        return;
    }
    json_open(json, '{');
    COLUMN(json, *readings, struct taken, "iteration", json_int(json, entry->iteration));
    COLUMN(json, *readings, struct taken, "thread", json_int(json, entry->thread));
    COLUMN(json, *readings, struct taken, "chain_ns", json_double(json, rounded(entry->reading.chain_ns, 1e4)));
    COLUMN(json, *readings, struct taken, "wide_ns", json_double(json, rounded(entry->reading.wide_ns, 1e3)));
    COLUMN(json, *readings, struct taken, "word_ns", json_double(json, rounded(entry->reading.word_ns, 10)));
    json_close(json, '}');
}

void recorder_write(struct recorder *r, struct json *json) {
    json_key(json, "clock");
    json_open(json, '{');
    json_key(json, "monotonic_ns");
    json_int(json, hlog_clock(r->log).monotonic_ns);
    json_key(json, "epoch_ms");
    json_int(json, hlog_clock(r->log).epoch_ms);
    json_close(json, '}');
    COLUMN(json, r->pinnings, struct pinning, "pinning", write_pinning(entry, json));
    write_run_delay(&r->waited, json);
    write_readings(&r->readings, json);
    json_key(json, "iterations");
    json_open(json, '{');
    COLUMN(json, r->rows, struct row, "iteration", json_int(json, entry->iteration));
    COLUMN(json, r->rows, struct row, "phase", json_string(json, entry->phase));
    COLUMN(json, r->rows, struct row, "series", json_string(json, entry->series));
    COLUMN(json, r->rows, struct row, "start_ns", json_int(json, entry->start_ns));
    COLUMN(json, r->rows, struct row, "elapsed_ns", json_int(json, entry->elapsed_ns));
    COLUMN(json, r->rows, struct row, "operations", json_int(json, entry->operations));
    json_close(json, '}');
    json_key(json, "measures");
    json_open(json, '{');
    COLUMN(json, r->measures, struct measure, "iteration", json_int(json, entry->iteration));
    COLUMN(json, r->measures, struct measure, "series", json_string(json, entry->series));
    COLUMN(json, r->measures, struct measure, "name", json_string(json, entry->name));
    COLUMN(json, r->measures, struct measure, "value", json_double(json, entry->value));
    json_close(json, '}');
    COLUMN(json, r->checks, struct check, "checks", write_check(entry, json));
}
