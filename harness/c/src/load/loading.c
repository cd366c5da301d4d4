#include "load/loading.h"
#include "load.h"
#include "load/account.h"
#include "load/pacer.h"
#include "load/receipts.h"
#include "load/schedule.h"
#include "load/totals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* What an iteration is for. Those of the warm-up take turns in this order. */
enum kind { SATURATED, PACED, EMPTY, BURSTS, KINDS };

static enum kind kind_of(const struct load *load, const char *phase, int iteration) {
    if (!load->stamped || strcmp(phase, LOAD_CAPACITY) == 0 ||
        strcmp(phase, LOAD_CAPACITY_AFTER) == 0) {
        return SATURATED;
    }
    return strcmp(phase, "measured") == 0 ? PACED : (enum kind)(iteration % KINDS);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double load_sustained(const double *rates, int count) {
    double sorted[LOAD_CAPACITIES];
    memcpy(sorted, rates, (size_t)count * sizeof *rates);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return sorted[count / 4];
}

/* Events per second of all producers together: of the capacity proper once it is known; until then,
 * in the warm-up, of the latest there is. */
static double rate_of(const struct load *load) {
    if (load->percent == 0) {
        return load->rate_given;
    }
    const double capacity = load->capacity_count > 0
                                ? load_sustained(load->capacities, load->capacity_count)
                                : load->latest_capacity;
    return capacity * (load->percent / 100.0);
}

static void schedule(struct load *load, struct source *source, enum kind kind, int iteration) {
    const double rate = rate_of(load);
    const bool paced = kind == PACED || kind == BURSTS;
    if (paced && !schedule_fits(rate, load->length_ns)) {
        load->too_many_rate = rate;
    }
    if (load->too_many_rate > 0 || kind == EMPTY || (paced && rate == 0)) {
        schedule_empty(source);
    } else if (kind == SATURATED) {
        schedule_saturated(source, load->stamped, load->length_ns);
    } else {
        schedule_paced(source, &load->arrivals,
                       arrivals_place(iteration, source->index, load->producers),
                       rate / load->producers, kind == BURSTS ? LOAD_BURST : 1, load->length_ns);
    }
}

/* How many of so many events are sampled, at most. */
static int64_t sampled(const struct load *load, int64_t events) {
    return events / (load->stamped ? load->mask + 1 : LOAD_UNSTAMPED_EVERY) + 2;
}

/* The consumer stalls in the middle of the middle measured iteration. */
static int64_t stall_at(const struct load *load, int iteration) {
    const int middle = load->trial->warmup + LOAD_CAPACITIES + load->trial->iterations / 2;
    return load->stall_ns > 0 && iteration == middle ? load->sources[0].count / 2 : INT64_MAX;
}

void load_prepare(void *shared, struct worker *workers, int iteration) {
    struct load *load = shared;
    const struct phase *phase = phase_of(load->phases, iteration);
    const enum kind kind = kind_of(load, phase->name, iteration);
    load->length_ns = phase->iteration_ns;
    load->saturated = kind == SATURATED;
    int64_t most = 0;
    for (int p = 0; p < load->producers; p++) {
        struct source *source = &load->sources[p];
        schedule(load, source, kind, iteration);
        const int64_t events = schedule_most(source, load->length_ns);
        source_prepare(source, load->stamped ? sampled(load, events) : 0);
        most += events;
    }
    for (int c = 0; c < load->consumers; c++) {
        receipts_prepare(load, &load->receipts[c], sampled(load, most) + load->producers);
    }
    load->stall_at = stall_at(load, iteration);
    for (int i = 0; i < load->trial->threads; i++) {
        workers[i].series[0] = 0; /* the rows are those of the consumers, see load_measure() */
    }
}

static void keep_capacity(struct load *load, const char *phase) {
    if (!load->stamped || !load->saturated) {
        return;
    }
    load->latest_capacity = receipts_rate(load);
    if (strcmp(phase, LOAD_CAPACITY) == 0) {
        load->capacities[load->capacity_count++] = load->latest_capacity;
    } else if (strcmp(phase, LOAD_CAPACITY_AFTER) == 0) {
        load->capacities_after[load->capacity_after_count++] = load->latest_capacity;
    }
}

void load_measure(void *shared, const struct worker *workers, int iteration,
                  struct recorder *recorder) {
    (void)workers;
    struct load *load = shared;
    const char *phase = phase_of(load->phases, iteration)->name;
    account_iteration(load, recorder, iteration, phase);
    totals_add(load);
    keep_capacity(load, phase);
}

static void measure_capacities(const struct load *load, struct recorder *recorder) {
    recorder_measure(recorder, WHOLE_TRIAL, "",
                     load->handed_over ? LOAD_CAPACITY : "generator_capacity",
                     load_sustained(load->capacities, load->capacity_count));
    recorder_measure(recorder, WHOLE_TRIAL, "",
                     load->handed_over ? LOAD_CAPACITY_AFTER : "generator_capacity_after",
                     load_sustained(load->capacities_after, load->capacity_after_count));
}

/* No work was left out, and what a piece of it takes. */
static void check_work(struct load *load, struct recorder *recorder) {
    uint64_t expected = 0;
    uint64_t actual = 0;
    for (int c = 0; c < load->consumers; c++) {
        expected += work_expected(&load->receipts[c].work);
        actual += load->receipts[c].work.a;
    }
    recorder_check_equal(recorder, "sum of the adds of the work", (int64_t)expected,
                         (int64_t)actual);
    recorder_measure(recorder, WHOLE_TRIAL, "", "work_mean_ns",
                     work_mean_ns(&load->receipts[0].work));
}

int load_finish(struct load *load, struct recorder *recorder) {
    if (load->too_many_rate > 0) {
        return schedule_refuse(load->too_many_rate, load->trial->iteration_ns);
    }
    if (load->stamped) {
        measure_capacities(load, recorder);
    }
    recorder_measure(recorder, WHOLE_TRIAL, "", "timer_slack_ns", (double)prctl(PR_GET_TIMERSLACK));
    totals_check(load, recorder);
    if (load->works) {
        check_work(load, recorder);
    }
    return 0;
}
