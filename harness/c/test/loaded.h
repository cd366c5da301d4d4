#pragma once

/* A trial under load without its threads, for tests of what is before and after iterations. */
#include "experiment.h"
#include "hdr.h"
#include "json.h"
#include "load.h"
#include "load/account.h"
#include "load/schedule.h"
#include "status.h"
#include "test.h"

#include <stdlib.h>

enum { MS = 1000000, SOME = 2520 /* can be divided by any number up to 10 */ };

static const struct variant variants[] = {{.name = "v"}, {0}};
static const struct parameter parameters[] = {LOAD_PARAMETERS, {0}};
static const struct experiment experiment = {.name = "fake", .variants = variants, .parameters = parameters};

static struct trial trial;
static struct load load;
static struct worker workers[4];
static struct recorder *recorder;
static char out[256];

/* Opens a load by the arguments beside the usual ones; its status. */
static inline int open_load(const char *line, int producers, int consumers) {
    static char copy[256];
    char *words[64];
    int count = 0;
    snprintf(copy, sizeof copy, "--variant v --warmup 4 --iterations 3 --out x %s %s",
             strstr(line, "--iteration-ms") ? "" : "--iteration-ms 2", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    trial.experiment = &experiment;
    CHECK_EQUAL(0, args_parse(count, words, &trial));
    trial.threads = producers + consumers;
    int status;
    recorder = recorder_open(out, &status);
    CHECK(recorder != NULL);
    return load_open(&load, &trial, producers, consumers, true);
}

static inline void close_load(void) {
    load_close(&load);
    recorder_close(recorder);
}

/* What producers and consumers of an iteration would leave, had all gone well: the last consumer handles everything,
 * SOME events of each producer in a saturated iteration, at `rate` a second. */
static inline void go_well(double rate) {
    struct receipts *r = &load.receipts[load.consumers - 1];
    load.start_ns = 1000;
    for (int p = 0; p < load.producers; p++) {
        struct source *source = &load.sources[p];
        source->sent = load.saturated ? SOME : source->count;
        r->tally.handled += source->sent;
        r->tally.announced += source->sent;
        r->tally.numbers += source->sent * (source->sent - 1) / 2;
        for (int64_t i = 0; load.stamped && i < source->sent; i++) {
            r->tally.content ^= source->due[i];
            r->tally.latest = source->due[i];
        }
    }
    r->tally.batch_events = r->tally.handled;
    for (int c = 0; c < load.consumers; c++) {
        load.receipts[c].tally.end_ns = load.start_ns + 2 * MS;
    }
    r->in_time = load.saturated ? r->tally.handled : 0;
    r->in_time_ns = llround((double)r->tally.handled / rate * 1e9);
}

static inline void prepare(int iteration) {
    load_prepare(&load, workers, iteration);
}

static inline void run_to(int iteration, double rate) {
    for (int i = 0; i < iteration; i++) {
        prepare(i);
        go_well(rate);
        load_measure(&load, workers, i, recorder);
    }
}

/* Whether what the recorder holds contains this text. */
static inline bool recorded(const char *text) {
    struct json json = {0};
    json_open(&json, NULL, '{');
    recorder_write(recorder, &json);
    json_close(&json, '}');
    const bool found = strstr(json.text, text) != NULL;
    if (!found) {
        fprintf(stderr, "%s\n", json.text);
    }
    free(json.text);
    return found;
}
