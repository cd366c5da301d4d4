#include "recorder.h"
#include "allocate.h"
#include "hdr.h"
#include "json.h"
#include "status.h"
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IN_RANGE "values in range"

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

/* A growing array of fixed-size entries. */
struct table {
    void *entries;
    size_t count, capacity;
};

struct recorder {
    char *out, *part;
    FILE *log;
    struct clock_pair clock;
    struct table rows, measures, checks, pinnings;
    int64_t out_of_range; /* the first such value */
    bool in_range;
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

static char *join(const char *left, const char *right) {
    size_t size = strlen(left) + strlen(right) + 1;
    char *joined = reallocate(NULL, size);
    snprintf(joined, size, "%s%s", left, right);
    return joined;
}

/* Seconds with milliseconds, from whole milliseconds: the digits Java's %.3f prints. */
static void write_millis(FILE *log, int64_t millis) {
    fprintf(log, "%" PRId64 ".%03" PRId64, millis / 1000, millis % 1000);
}

static void write_header(struct recorder *recorder) {
    time_t seconds = recorder->clock.epoch_ms / 1000;
    struct tm local;
    char date[64];
    strftime(date, sizeof date, "%a %b %d %H:%M:%S %Z %Y", localtime_r(&seconds, &local));
    fprintf(recorder->log, "#[Histogram log format version 1.3]\n#[StartTime: ");
    write_millis(recorder->log, recorder->clock.epoch_ms);
    fprintf(recorder->log, " (seconds since epoch), %s]\n", date);
    fprintf(recorder->log, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                           "\"Interval_Compressed_Histogram\"\n");
}

struct recorder *recorder_open(const char *out, int *status) {
    struct recorder *recorder = allocate(1, sizeof *recorder);
    recorder->out = join(out, "");
    recorder->part = join(out, ".part");
    recorder->clock = clock_pair_read();
    recorder->in_range = true;
    recorder->log = fopen(recorder->part, "w");
    if (!recorder->log) {
        *status = fail(STATUS_NO_RESOURCES, "--out: cannot write '%s': %s", recorder->part,
                       strerror(errno));
        recorder_close(recorder);
        return NULL;
    }
    temporary_track(recorder->part);
    write_header(recorder);
    return recorder;
}

static void write_line(struct recorder *recorder, const char *series, int64_t start_ns,
                       int64_t elapsed_ns) {
    int64_t since_open = start_ns - recorder->clock.monotonic_ns;
    int64_t start_ms = recorder->clock.epoch_ms + since_open / 1000000;
    int64_t end_ms = recorder->clock.epoch_ms + (since_open + elapsed_ns) / 1000000;
    /* Java prints max / 1e6 with %.3f, which rounds the decimal digits half up; printf() rounds
     * the binary value, so the same digits are made from whole microseconds here. */
    int64_t max_us = (hdr_max(&recorder->hdr) + 500) / 1000;
    char *encoded = hdr_encode_base64(&recorder->hdr);
    fprintf(recorder->log, "Tag=%s,", series);
    write_millis(recorder->log, start_ms);
    fputc(',', recorder->log);
    write_millis(recorder->log, end_ms - start_ms);
    fputc(',', recorder->log);
    write_millis(recorder->log, max_us);
    fprintf(recorder->log, ",%s\n", encoded);
    free(encoded);
}

void recorder_row(struct recorder *recorder, int iteration, const char *phase, const char *series,
                  int64_t start_ns, int64_t elapsed_ns, int64_t operations, const int64_t *samples,
                  size_t count) {
    hdr_reset(&recorder->hdr);
    for (size_t i = 0; i < count; i++) {
        if (!hdr_record(&recorder->hdr, samples[i], 1) && recorder->in_range) {
            recorder->in_range = false;
            recorder->out_of_range = samples[i];
        }
    }
    struct row *row = append(&recorder->rows, sizeof *row);
    *row = (struct row){.iteration = iteration,
                        .phase = phase,
                        .start_ns = start_ns,
                        .elapsed_ns = elapsed_ns,
                        .operations = operations};
    copy(row->series, sizeof row->series, series);
    write_line(recorder, row->series, start_ns, elapsed_ns);
}

void recorder_measure(struct recorder *recorder, int iteration, const char *series,
                      const char *name, double value) {
    struct measure *measure = append(&recorder->measures, sizeof *measure);
    measure->iteration = iteration;
    measure->value = value;
    copy(measure->series, sizeof measure->series, series);
    copy(measure->name, sizeof measure->name, name);
}

void recorder_check(struct recorder *recorder, const char *name, const char *expected,
                    const char *actual, bool passed) {
    struct check *check = append(&recorder->checks, sizeof *check);
    check->passed = passed;
    copy(check->name, sizeof check->name, name);
    copy(check->expected, sizeof check->expected, expected);
    copy(check->actual, sizeof check->actual, actual);
}

void recorder_check_equal(struct recorder *recorder, const char *name, int64_t expected,
                          int64_t actual) {
    char left[32];
    char right[32];
    snprintf(left, sizeof left, "%" PRId64, expected);
    snprintf(right, sizeof right, "%" PRId64, actual);
    recorder_check(recorder, name, left, right, expected == actual);
}

void recorder_pinning(struct recorder *recorder, int thread, int requested, const int *observed,
                      int count) {
    struct pinning *pinning = append(&recorder->pinnings, sizeof *pinning);
    pinning->thread = thread;
    pinning->requested = requested;
    for (int i = 0; i < count && pinning->count < 8; i++) {
        pinning->observed[pinning->count++] = observed[i];
    }
}

int recorder_verdict(struct recorder *recorder) {
    if (!recorder->in_range) {
        char range[64];
        char actual[32];
        snprintf(range, sizeof range, "0..%" PRId64, HDR_HIGHEST);
        snprintf(actual, sizeof actual, "%" PRId64, recorder->out_of_range);
        recorder_check(recorder, IN_RANGE, range, actual, false);
    }
    const struct check *checks = recorder->checks.entries;
    for (size_t i = 0; i < recorder->checks.count; i++) {
        if (!checks[i].passed) {
            return fail(STATUS_CHECK_FAILED, "check failed: %s: expected %s, got %s",
                        checks[i].name, checks[i].expected, checks[i].actual);
        }
    }
    return 0;
}

/* A rename is durable once the folder that holds the name is on disk too. */
static void flush_folder(const char *path) {
    char *folder = join(path, "");
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[1] = '\0';
    }
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

int recorder_commit(struct recorder *recorder) {
    bool written =
        fflush(recorder->log) == 0 && !ferror(recorder->log) && fsync(fileno(recorder->log)) == 0;
    int error = errno;
    written = fclose(recorder->log) == 0 && written;
    recorder->log = NULL;
    if (written && rename(recorder->part, recorder->out) == 0) {
        temporary_release(recorder->part);
        flush_folder(recorder->out);
        return 0;
    }
    return fail(STATUS_NO_RESOURCES, "--out: cannot write '%s': %s", recorder->out,
                strerror(written ? errno : error));
}

void recorder_close(struct recorder *recorder) {
    if (recorder->log) {
        fclose(recorder->log);
    }
    free(recorder->rows.entries);
    free(recorder->measures.entries);
    free(recorder->checks.entries);
    free(recorder->pinnings.entries);
    free(recorder->out);
    free(recorder->part);
    free(recorder);
}

/* One column: an array with `write` applied to every entry of a table. */
#define COLUMN(json, table, type, key, write)                                                      \
    do {                                                                                           \
        json_key(json, key);                                                                       \
        json_open(json, '[');                                                                      \
        for (size_t i = 0; i < (table).count; i++) {                                               \
            const type *entry = (const type *)(table).entries + i;                                 \
            write;                                                                                 \
        }                                                                                          \
        json_close(json, ']');                                                                     \
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

void recorder_write(struct recorder *r, struct json *json) {
    json_key(json, "clock");
    json_open(json, '{');
    json_key(json, "monotonic_ns");
    json_int(json, r->clock.monotonic_ns);
    json_key(json, "epoch_ms");
    json_int(json, r->clock.epoch_ms);
    json_close(json, '}');
    COLUMN(json, r->pinnings, struct pinning, "pinning", write_pinning(entry, json));
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
