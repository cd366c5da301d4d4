#include "load/loading.h"
#include "load.h"
#include "load/account.h"
#include "load/pacer.h"
#include "load/receipts.h"
#include "load/schedule.h"
#include "load/services.h"
#include "load/totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* What an iteration is for. Those of the warm-up take turns in this order. */
enum kind { SATURATED, PACED, EMPTY, BURSTS, KINDS };

static bool asks_capacity(const char *phase) {
    return strcmp(phase, LOAD_CAPACITY) == 0 || strcmp(phase, LOAD_CAPACITY_AFTER) == 0;
}

static enum kind kind_of(const struct load *load, const char *phase, int iteration) {
    if (!load->stamped) {
        return SATURATED;
    }
    if (asks_capacity(phase)) {
        return capacity_rate(&load->capacity) == 0 ? SATURATED : PACED;
    }
    return strcmp(phase, "measured") == 0 ? PACED : (enum kind)(iteration % KINDS);
}

/* Events per second of all producers together: in the search for the capacity what it asks for, then a share of that;
 * before, in the warm-up, of the latest there is. */
static double rate_of(const struct load *load, const char *phase) {
    if (asks_capacity(phase)) {
        return capacity_rate(&load->capacity);
    }
    if (load->percent == 0) {
        return load->rate_given;
    }
    const bool known = load->capacity.made >= CAPACITY_ITERATIONS;
    const double capacity = known ? capacity_before(&load->capacity) : load->latest_capacity;
    return capacity * (load->percent / 100.0);
}

static void schedule(struct load *load, struct source *source, enum kind kind, int iteration, double rate) {
    const bool paced = kind == PACED || kind == BURSTS;
    if (paced && !schedule_fits(rate, load->length_ns)) {
        load->too_many_rate = rate;
    }
    if (load->too_many_rate > 0 || kind == EMPTY || (paced && rate == 0)) {
        schedule_empty(source);
    } else if (kind == SATURATED) {
        schedule_saturated(source, load->stamped, load->length_ns);
    } else {
        schedule_paced(source, &load->arrivals, arrivals_place(iteration, source->index, load->producers),
                       rate / load->producers, kind == BURSTS ? LOAD_BURST : 1, load->length_ns);
    }
}

/* How many of so many events are sampled, at most. */
static int64_t sampled(const struct load *load, int64_t events) {
    return events / (load->stamped ? load->mask + 1 : LOAD_UNSTAMPED_EVERY) + 2;
}

/* The consumer stalls in the middle of the middle measured iteration. */
static int64_t stall_at(const struct load *load, int iteration) {
    const int before = load->trial->warmup + (load->percent > 0 ? CAPACITY_ITERATIONS : 0);
    const int middle = before + load->trial->iterations / 2;
    return load->stall_ns > 0 && iteration == middle ? load->sources[0].count / 2 : INT64_MAX;
}

void load_prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct load *load = shared;
    const struct phase *phase = phase_of(load->phases, iteration);
    const enum kind kind = kind_of(load, phase->name, iteration);
    load->length_ns = phase->iteration_ns;
    load->saturated = kind == SATURATED;
    int64_t most = 0;
    for (int p = 0; p < load->producers; p++) {
        struct source *source = &load->sources[p];
        schedule(load, source, kind, iteration, rate_of(load, phase->name));
        const int64_t events = schedule_most(source, load->length_ns);
        source_prepare(source, load->stamped ? sampled(load, events) : 0);
        most += events;
    }
    for (int c = 0; c < load->consumers; c++) {
        receipts_prepare(load, &load->receipts[c], sampled(load, most) + load->producers);
    }
    load->stall_at = stall_at(load, iteration);
    load->cpu_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The median time from an event's due time to the end of its handler, of the slowest consumer; of the generator alone
 * to its sending. Where too few are sampled, how long after the deadline all were done. */
static int64_t took_ns(struct load *load) {
    enum { FEWEST = 10 };
    int64_t greatest = 0;
    int64_t fewest = INT64_MAX;
    int64_t end = 0;
    for (int c = 0; c < load->consumers; c++) {
        struct samples *all = load->handed_over ? &load->receipts[c].series[LOAD_INTENDED] : &load->sources[0].late;
        const int64_t middle = samples_median(all);
        greatest = middle > greatest ? middle : greatest;
        fewest = all->count < fewest ? all->count : fewest;
        const int64_t ended = load->receipts[c].tally.end_ns;
        end = ended > end ? ended : end;
    }
    return fewest < FEWEST ? end - load->start_ns - load->length_ns : greatest;
}

bool load_bears(struct load *load) {
    enum { SOON = 25, WORKS = 10 };
    return took_ns(load) <= LOAD_SHORT_NS / SOON + WORKS * load->work_ns;
}

static void keep_capacity(struct load *load, const char *phase) {
    if (!load->stamped) {
        return;
    }
    if (load->saturated) {
        load->latest_capacity = receipts_rate(load);
    }
    if (asks_capacity(phase)) {
        capacity_ended(&load->capacity, receipts_rate(load), load_bears(load));
    }
}

void load_measure(void *shared, UNUSED const struct worker *workers, int iteration, struct recorder *recorder) {
    struct load *load = shared;
    const char *phase = phase_of(load->phases, iteration)->name;
    if (strcmp(phase, "measured") == 0) {
        recorder_measure(recorder, iteration, "", "cpu_ns",
                         (double)(clock_of(CLOCK_PROCESS_CPUTIME_ID) - load->cpu_ns));
    }
    account_iteration(load, recorder, iteration, phase);
    totals_add(load);
    keep_capacity(load, phase);
}

static void measure_capacities(const struct load *load, struct recorder *recorder) {
    const struct capacity *capacity = &load->capacity;
    const struct {
        const char *name;
        double value;
    } found[] = {{"", capacity_before(capacity)},
                 {"_after", capacity_found(capacity)},
                 {"_at_once", capacity->at_once},
                 {"_failed", (double)capacity->failed / CAPACITY_CHECKS}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", load->handed_over ? LOAD_CAPACITY : "generator_capacity", found[i].name);
        recorder_measure(recorder, WHOLE_TRIAL, "", name, found[i].value);
    }
}

/* No work was left out, and what a piece of it takes. */
static void check_work(struct load *load, struct recorder *recorder) {
    uint64_t expected = 0;
    uint64_t actual = 0;
    for (int c = 0; c < load->consumers; c++) {
        expected += work_expected(&load->receipts[c].work);
        actual += load->receipts[c].work.a;
    }
    recorder_check_equal(recorder, "sum of the adds of the work", (int64_t)expected, (int64_t)actual);
    recorder_measure(recorder, WHOLE_TRIAL, "", "work_mean_ns", work_mean_ns(&load->receipts[0].work));
}

int load_finish(struct load *load, struct recorder *recorder) {
    if (load->too_many_rate > 0) {
        return schedule_refuse(load->too_many_rate, load->trial->iteration_ns);
    }
    services_leave(load, recorder);
    if (load->percent > 0) {
        measure_capacities(load, recorder);
    }
    recorder_measure(recorder, WHOLE_TRIAL, "", "timer_slack_ns", (double)prctl(PR_GET_TIMERSLACK));
    totals_check(load, recorder);
    if (load->works) {
        check_work(load, recorder);
    }
    return 0;
}
