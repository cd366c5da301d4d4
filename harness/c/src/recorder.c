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

/* An array of what is written for every entry of a table; a column of one member of them, by its kind. */
#define ARRAY(key, table, type, write)                                                                                 \
    do {                                                                                                               \
        json_open(json, key, '[');                                                                                     \
        for (size_t i = 0; i < (table).count; i++) {                                                                   \
            const type *entry = (const type *)(table).entries + i;                                                     \
            write;                                                                                                     \
        }                                                                                                              \
        json_close(json, ']');                                                                                         \
    } while (0)
#define COLUMN(kind, key, table, type, member) ARRAY(key, table, type, json_##kind(json, NULL, entry->member))

static void write_pinning(const struct pinning *pinning, struct json *json) {
    json_open(json, NULL, '{');
    json_int(json, "thread", pinning->thread);
    if (pinning->requested < 0) {
        json_string(json, "requested", NULL);
    } else {
        json_int(json, "requested", pinning->requested);
    }
    json_open(json, "observed", '[');
    for (int i = 0; i < pinning->count; i++) {
        json_int(json, NULL, pinning->observed[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_check(const struct check *check, struct json *json) {
    json_open(json, NULL, '{');
    json_string(json, "name", check->name);
    json_string(json, "expected", check->expected);
    json_string(json, "actual", check->actual);
    json_bool(json, "passed", check->passed);
    json_close(json, '}');
}

static void write_run_delay(const struct table *waited, struct json *json) {
    if (waited->count == 0) {
        json_string(json, "run_delay", NULL);
        return;
    }
    json_open(json, "run_delay", '{');
    json_int(json, "process_ns", ((const struct run_delay *)waited->entries)->process_ns);
    COLUMN(int, "wall_ns", *waited, struct run_delay, at_ns);
    COLUMN(int, "ran_ns", *waited, struct run_delay, ran_ns);
    COLUMN(int, "run_delay_ns", *waited, struct run_delay, delay_ns);
    json_close(json, '}');
}

/* To 0.1 and 1 ps, of words to 100: less is noise, and makes the trial's file longer. */
static double rounded(double ns, double per) {
    return round(ns * per) / per;
}

static void write_readings(const struct table *readings, struct json *json) {
    if (readings->count == 0) {
        json_string(json, "readings", NULL);
        return;
    }
    json_open(json, "readings", '{');
    COLUMN(int, "iteration", *readings, struct taken, iteration);
    COLUMN(int, "thread", *readings, struct taken, thread);
    ARRAY("chain_ns", *readings, struct taken, json_double(json, NULL, rounded(entry->reading.chain_ns, 1e4)));
    ARRAY("wide_ns", *readings, struct taken, json_double(json, NULL, rounded(entry->reading.wide_ns, 1e3)));
    ARRAY("word_ns", *readings, struct taken, json_double(json, NULL, rounded(entry->reading.word_ns, 10)));
    json_close(json, '}');
}

void recorder_write(struct recorder *r, struct json *json) {
    json_open(json, "clock", '{');
    json_int(json, "monotonic_ns", hlog_clock(r->log).monotonic_ns);
    json_int(json, "epoch_ms", hlog_clock(r->log).epoch_ms);
    json_close(json, '}');
    ARRAY("pinning", r->pinnings, struct pinning, write_pinning(entry, json));
    write_run_delay(&r->waited, json);
    write_readings(&r->readings, json);
    json_open(json, "iterations", '{');
    COLUMN(int, "iteration", r->rows, struct row, iteration);
    COLUMN(string, "phase", r->rows, struct row, phase);
    COLUMN(string, "series", r->rows, struct row, series);
    COLUMN(int, "start_ns", r->rows, struct row, start_ns);
    COLUMN(int, "elapsed_ns", r->rows, struct row, elapsed_ns);
    COLUMN(int, "operations", r->rows, struct row, operations);
    json_close(json, '}');
    json_open(json, "measures", '{');
    COLUMN(int, "iteration", r->measures, struct measure, iteration);
    COLUMN(string, "series", r->measures, struct measure, series);
    COLUMN(string, "name", r->measures, struct measure, name);
    COLUMN(double, "value", r->measures, struct measure, value);
    json_close(json, '}');
    ARRAY("checks", r->checks, struct check, write_check(entry, json));
}
