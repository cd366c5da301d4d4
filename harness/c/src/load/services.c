#include "load/services.h"
#include "allocate.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 50, /* events of either kind that have a median: as many as the pipeline draws from */
    ROUNDS = 50,
    CUT_NS = 50000, /* longer service is the host's: kept, and counted apart */
};

/* Service times, of events that waited and of those that found the consumer idle. */
struct parted {
    struct samples waited, found;
};

static void parted_free(struct parted *parted) {
    free(parted->waited.values);
    free(parted->found.values);
}

/* Parts pairs of events by their flight. */
static void part(struct parted *parted, const struct samples *own, const struct samples *since, int64_t flight) {
    samples_make_room(&parted->waited, own->count);
    samples_make_room(&parted->found, own->count);
    for (int64_t i = 0; i < own->count; i++) {
        const int64_t arrived = own->values[i] - flight;
        const bool behind = since->values[i] <= arrived;
        const int64_t service = behind ? since->values[i] : arrived > 0 ? arrived : 0;
        samples_add(behind ? &parted->waited : &parted->found, service);
    }
}

int64_t services_flight(const struct samples *own, const struct samples *since) {
    struct parted parted = {0};
    int64_t flight = 0;
    for (int round = 0; round < ROUNDS; round++) {
        part(&parted, own, since, flight);
        if (parted.waited.count < FEWEST || parted.found.count < FEWEST) {
            flight = SERVICES_UNKNOWN;
            break;
        }
        const int64_t longer = samples_median(&parted.found) - samples_median(&parted.waited);
        if (longer == 0 || flight + longer < 0) {
            break;
        }
        flight += longer;
    }
    parted_free(&parted);
    return flight;
}

void services_keep(struct load *load, int iteration, const char *phase, int64_t elapsed_ns, int64_t operations) {
    struct services *services = &load->services;
    const struct receipts *only = &load->receipts[0];
    if (services->count == services->room) {
        services->room = services->room ? 2 * services->room : 64;
        services->iterations = reallocate(services->iterations, (size_t)services->room * sizeof *services->iterations);
    }
    struct paired *paired = &services->iterations[services->count++];
    *paired = (struct paired){.iteration = iteration,
                              .phase = phase,
                              .start_ns = load->start_ns,
                              .elapsed_ns = elapsed_ns,
                              .operations = operations};
    samples_append(&paired->own, &only->series[LOAD_SENT]);
    samples_append(&paired->since, &only->series[LOAD_SINCE]);
}

/* Of the measured iterations. */
static int64_t measured_flight(const struct services *services) {
    struct samples own = {0};
    struct samples since = {0};
    for (int i = 0; i < services->count; i++) {
        const struct paired *paired = &services->iterations[i];
        if (strcmp(paired->phase, "measured") == 0) {
            samples_append(&own, &paired->own);
            samples_append(&since, &paired->since);
        }
    }
    const int64_t flight = services_flight(&own, &since);
    free(own.values);
    free(since.values);
    return flight;
}

static void write_row(struct recorder *recorder, const struct paired *paired, const char *series,
                      const struct samples *samples) {
    recorder_row(recorder, paired->iteration, paired->phase, series, paired->start_ns, paired->elapsed_ns,
                 paired->operations, samples->values, (size_t)samples->count);
}

/* A generator that waits for each answer sends the next event when it is due or, if later, when the one before is done.
 * What it records is the time from then on. */
static void write_waiting(struct load *load, struct recorder *recorder, const struct paired *paired) {
    struct samples *all = &load->scratch;
    samples_make_room(all, paired->own.count);
    for (int64_t i = 0; i < paired->own.count; i++) {
        const int64_t own = paired->own.values[i], since = paired->since.values[i];
        samples_add(all, own < since ? own : since);
    }
    write_row(recorder, paired, "waiting", all);
}

/* Sums of durations, from which a model of the queue predicts. */
struct moments {
    double count, ns, ns2;
};

static void add(struct moments *moments, const struct samples *samples, int64_t above) {
    for (int64_t i = 0; i < samples->count; i++) {
        const double nanos = (double)samples->values[i];
        const bool counts = samples->values[i] > above;
        moments->count += counts;
        moments->ns += counts ? nanos : 0;
        moments->ns2 += counts ? nanos * nanos : 0;
    }
}

static void measure(struct recorder *recorder, int iteration, const struct parted *parted) {
    struct moments busy = {0};
    struct moments idle = {0};
    struct moments cut = {0};
    add(&busy, &parted->waited, -1);
    add(&idle, &parted->found, -1);
    add(&cut, &parted->waited, CUT_NS);
    add(&cut, &parted->found, CUT_NS);
    recorder_measure(recorder, iteration, "", "busy_count", busy.count);
    recorder_measure(recorder, iteration, "", "busy_ns", busy.ns);
    recorder_measure(recorder, iteration, "", "busy_ns2", busy.ns2);
    recorder_measure(recorder, iteration, "", "idle_count", idle.count);
    recorder_measure(recorder, iteration, "", "idle_ns", idle.ns);
    recorder_measure(recorder, iteration, "", "idle_ns2", idle.ns2);
    recorder_measure(recorder, iteration, "", "cut_count", cut.count);
    recorder_measure(recorder, iteration, "", "cut_ns", cut.ns);
}

void services_leave(struct load *load, struct recorder *recorder) {
    const struct services *services = &load->services;
    const int64_t known = load->awake ? measured_flight(services) : SERVICES_UNKNOWN;
    if (known != SERVICES_UNKNOWN) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "flight", (double)known);
    }
    struct parted parted = {0};
    for (int i = 0; i < services->count; i++) {
        const struct paired *paired = &services->iterations[i];
        part(&parted, &paired->own, &paired->since, known == SERVICES_UNKNOWN ? 0 : known);
        write_row(recorder, paired, "busy", &parted.waited);
        write_row(recorder, paired, "idle", &parted.found);
        if (load->stall_ns > 0) {
            write_waiting(load, recorder, paired);
        }
        measure(recorder, paired->iteration, &parted);
    }
    parted_free(&parted);
}

void services_free(struct services *services) {
    for (int i = 0; i < services->count; i++) {
        free(services->iterations[i].own.values);
        free(services->iterations[i].since.values);
    }
    free(services->iterations);
}
