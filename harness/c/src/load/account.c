#include "load/account.h"
#include "load/services.h"

#include <stdio.h>

/* An iteration that has ended, as all rows of durations have it. */
struct ended {
    struct load *load;
    struct recorder *recorder;
    int iteration;
    const char *phase;
    int64_t elapsed_ns, operations;
};

/* The row of the durations in load->scratch. */
static void write_row(const struct ended *ended, const char *series) {
    const struct samples *all = &ended->load->scratch;
    recorder_row(ended->recorder, ended->iteration, ended->phase, series, ended->load->start_ns, ended->elapsed_ns,
                 ended->operations, all->values, (size_t)all->count);
}

/* What the consumers sampled, together. */
static void write_sampled(const struct ended *ended, const char *series, int which) {
    struct load *load = ended->load;
    load->scratch.count = 0;
    for (int c = 0; c < load->consumers; c++) {
        samples_append(&load->scratch, &load->receipts[c].series[which]);
    }
    write_row(ended, series);
}

static void write_late(const struct ended *ended) {
    struct load *load = ended->load;
    load->scratch.count = 0;
    for (int p = 0; p < load->producers; p++) {
        samples_append(&load->scratch, &load->sources[p].late);
    }
    write_row(ended, "late");
}

static void write_durations(const struct ended *ended) {
    const struct load *load = ended->load;
    if (!load->handed_over) {
        if (load->stamped) {
            write_late(ended);
        }
        return;
    }
    if (!load->stamped) {
        write_sampled(ended, "full", LOAD_FULL);
        return;
    }
    write_sampled(ended, "intended", LOAD_INTENDED);
    write_sampled(ended, "sent", LOAD_SENT);
    write_late(ended);
}

/* The rows of the consumers; their latest end and all of their operations are the iteration's. */
static void write_consumers(struct ended *ended) {
    const struct load *load = ended->load;
    for (int c = 0; c < load->consumers; c++) {
        const struct tally *t = &load->receipts[c].tally;
        const int64_t took = t->end_ns - load->start_ns;
        char series[SERIES_LENGTH];
        snprintf(series, sizeof series, "c%d", c);
        recorder_row(ended->recorder, ended->iteration, ended->phase, series, load->start_ns, took, t->handled, NULL,
                     0);
        ended->operations += t->handled;
        ended->elapsed_ns = took > ended->elapsed_ns ? took : ended->elapsed_ns;
    }
}

static void measure(const struct ended *ended, const char *name, double value) {
    recorder_measure(ended->recorder, ended->iteration, "", name, value);
}

static void measure_producers(const struct ended *ended) {
    const struct source *sources = ended->load->sources;
    int64_t full = 0;
    int64_t failed_offers = 0;
    for (int p = 0; p < ended->load->producers; p++) {
        full += sources[p].full;
        failed_offers += sources[p].failed_offers;
    }
    measure(ended, "failed_offers", (double)failed_offers);
    measure(ended, "full", (double)full);
    if (sources[0].occupancy_samples > 0) {
        measure(ended, "occupancy_sum", (double)sources[0].occupancy);
        measure(ended, "occupancy_samples", (double)sources[0].occupancy_samples);
    }
}

static void measure_batches(const struct ended *ended, const struct tally *t) {
    if (t->batches == 0) {
        return;
    }
    measure(ended, "batches", (double)t->timed);
    measure(ended, "batch_events", (double)t->timed_events);
    measure(ended, "batch_ns", t->batch_ns);
    measure(ended, "batch_n2", t->batch_n2);
    measure(ended, "batch_n_ns", t->batch_n_ns);
    measure(ended, "idle_looks", (double)t->idle_looks);
    for (int k = 0; k < LOAD_SIZES; k++) {
        if (t->sizes[k] > 0) {
            char name[64];
            snprintf(name, sizeof name, "batch_size_%lld", 1LL << k);
            measure(ended, name, (double)t->sizes[k]);
        }
    }
}

static void measure_consumers(const struct ended *ended) {
    int64_t failed_polls = 0;
    int64_t backward = 0;
    for (int c = 0; c < ended->load->consumers; c++) {
        const struct receipts *r = &ended->load->receipts[c];
        failed_polls += r->tally.failed_polls;
        backward += r->backward;
        measure_batches(ended, &r->tally); /* only where there is one consumer */
    }
    measure(ended, "handled", (double)ended->operations);
    if (ended->load->looked_for) {
        measure(ended, "failed_polls", (double)failed_polls);
    }
    measure(ended, "clock_backward", (double)backward);
}

void account_iteration(struct load *load, struct recorder *recorder, int iteration, const char *phase) {
    struct ended ended = {.load = load, .recorder = recorder, .iteration = iteration, .phase = phase};
    write_consumers(&ended);
    write_durations(&ended);
    if (!load->handed_over) {
        return;
    }
    measure_consumers(&ended);
    measure_producers(&ended);
    if (load->stamped && load_pairs(load)) {
        services_keep(load, iteration, phase, ended.elapsed_ns, ended.operations);
    }
}
