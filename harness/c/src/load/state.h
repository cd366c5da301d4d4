#pragma once

#include "cpu.h"
#include "load/arrivals.h"
#include "load/capacity.h"
#include "load/samples.h"
#include "work.h"
#include "workers.h"

#include <stdbool.h>
#include <stdint.h>

/* What a trial under load keeps: each producer, each consumer, and all of its threads together. */

enum {
    LOAD_START_NS = 50000,   /* from the opening to the start, which is the same for all */
    LOAD_SHORT_NS = 5000000, /* the iterations beside the measured ones */
};

/* Phases beside the usual ones. */
#define LOAD_CAPACITY "capacity"
#define LOAD_CAPACITY_AFTER "capacity_after"

/* A producer: its schedule, and what it leaves of an iteration. */
struct source {
    _Alignas(LAB_LINE) int64_t progress; /* events sent so far, for the one that reads occupancy */
    _Alignas(LAB_LINE) int index;
    int64_t *due;
    int64_t room;
    int64_t count;    /* of the schedule */
    int64_t settled;  /* the first event to be sampled */
    int64_t limit_ns; /* when sending ends whatever is left; INT64_MAX: with the schedule */
    int64_t sent;     /* events of this iteration */
    int64_t end_ns;   /* when the end mark was away: CLOCK_MONOTONIC */
    struct samples late;
    uint64_t random;
    int64_t look_ns; /* when to look at the occupancy next */
    int64_t occupancy, occupancy_samples;
    int64_t full, failed_offers; /* times there was no room, turns that waited for it */
};

enum { LOAD_MOST_PRODUCERS = 16, LOAD_SIZES = 32 };

/* What a consumer keeps of an iteration. */
struct tally {
    int64_t handled, faults, numbers, content, announced, ends;
    int64_t previous; /* when the first of a pair was done */
    int64_t latest;   /* due time of the last event */
    int64_t failed_polls, idle_looks;
    int64_t batches, batch_events; /* all */
    int64_t sizes[LOAD_SIZES];     /* batches by the power of two that their size reaches */
    int64_t timed, timed_events;   /* every LOAD_BATCH_EVERY-th */
    double batch_ns, batch_n2, batch_n_ns;
    int64_t end_ns; /* CLOCK_MONOTONIC */
    int64_t expected[LOAD_MOST_PRODUCERS];
};

/* The durations that a consumer samples; since: of pairs of events, from the end of the first. */
enum { LOAD_INTENDED, LOAD_SENT, LOAD_SINCE, LOAD_FULL, LOAD_SERIES };

/* A consumer. */
struct receipts {
    _Alignas(LAB_LINE) int64_t handled; /* in this iteration so far, read by the generator */
    _Alignas(LAB_LINE) struct tally tally;
    /* Written for sampled events only. */
    struct samples series[LOAD_SERIES];
    int64_t backward;
    int64_t in_time, in_time_ns; /* handled until the producers' limit, as far as samples tell */
    struct work work;
};

/* An iteration with its pairs of events, and all iterations of a trial; see services.h. */
struct paired {
    int iteration;
    const char *phase;
    int64_t start_ns, elapsed_ns, operations;
    struct samples own, since;
};
struct services {
    struct paired *iterations;
    int count, room;
};

/* What was sent and what was handled in a trial, which must be the same; the sum of the numbers that were sent is in
 * struct load. */
struct totals {
    int64_t sent, handled, announced, batched;
    int64_t faults;  /* events lost, repeated or out of order */
    int64_t numbers; /* sum, of what was handled */
    int64_t spoilt;  /* iterations whose due times differ */
    int64_t endless; /* iterations whose last event was not the last sent */
    int64_t samples, backward;
};

/* The trial, shared by all its threads. */
struct load {
    /* As given. */
    const struct trial *trial;
    int percent, producers, consumers;
    double rate_given;
    bool stamped;  /* events carry times */
    bool works;    /* handling an event takes work.draws */
    bool in_order; /* each consumer sees all events of a producer, in order */
    /* What is not so is set after load_open(), and its measures are left out: nobody counts them. */
    bool handed_over; /* else the generator alone: nobody takes what it sends */
    bool looked_for;  /* consumers look for events, and count the looks in vain */
    bool awake;       /* none sleeps while it waits: an event's way keeps them from no other */
    int64_t mask;     /* sample-every - 1, of events that carry times */
    int64_t work_ns, stall_ns;
    struct phase phases[5]; /* the last has no name */
    struct arrivals arrivals;
    struct source *sources;
    struct receipts *receipts;
    /* The iteration. */
    int64_t start_ns; /* CLOCK_MONOTONIC */
    int64_t cpu_ns;   /* CPU time of the process when it was prepared */
    int64_t length_ns;
    int64_t stall_at; /* INT64_MAX: it does not */
    bool saturated;
    /* The trial so far. */
    double latest_capacity; /* events per second of the latest saturated iteration */
    struct capacity capacity;
    double too_many_rate; /* not 0: of more events than an iteration may have; the trial fails */
    int64_t numbers_due;  /* sum of the numbers of all events that were sent */
    struct totals totals;
    struct services services;
    struct samples scratch; /* a series, while its row is written */
    _Alignas(LAB_LINE) bool abandoned;
};

/* Whether pairs of events tell the service time: they are one producer's, and one consumer's. */
static inline bool load_pairs(const struct load *load) {
    return load->producers == 1 && load->consumers == 1;
}
