/*
 * What an iteration under load leaves: rows, measures, and what the checks of the trial add up.
 */
#include "load.h"
#include "stats.h"
#include "status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { MOST_BACKWARD = 1000 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double load_sustained(const double *rates, int count) {
    double sorted[10];
    memcpy(sorted, rates, (size_t)count * sizeof *rates);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return sorted[count / 4];
}

struct rows {
    struct recorder *recorder;
    const struct load *load;
    int iteration;
    const char *phase;
    int64_t start_ns, elapsed_ns, operations;
};

/* A series of all consumers together; `offset`: of its samples in struct receipts. */
static void write_series(const struct rows *rows, const char *series, size_t offset) {
    struct load *load = (struct load *)rows->load;
    int64_t count = 0;
    for (int c = 0; c < load->consumers; c++) {
        count += ((struct samples *)((char *)&load->receipts[c] + offset))->count;
    }
    samples_make_room(&load->scratch, count);
    for (int c = 0; c < load->consumers; c++) {
        const struct samples *s = (struct samples *)((char *)&load->receipts[c] + offset);
        if (s->count > 0) {
            memcpy(load->scratch.values + load->scratch.count, s->values,
                   (size_t)s->count * sizeof *s->values);
            load->scratch.count += s->count;
        }
    }
    recorder_row(rows->recorder, rows->iteration, rows->phase, series, rows->start_ns,
                 rows->elapsed_ns, rows->operations, load->scratch.values, (size_t)count);
}

static void write_late(const struct rows *rows) {
    /* The producers' samples, one after the other. */
    struct load *load = (struct load *)rows->load;
    int64_t count = 0;
    for (int p = 0; p < load->producers; p++) {
        count += load->sources[p].late.count;
    }
    samples_make_room(&load->scratch, count);
    for (int p = 0; p < load->producers; p++) {
        const struct samples *s = &load->sources[p].late;
        memcpy(load->scratch.values + load->scratch.count, s->values,
               (size_t)s->count * sizeof *s->values);
        load->scratch.count += s->count;
    }
    recorder_row(rows->recorder, rows->iteration, rows->phase, "late", rows->start_ns,
                 rows->elapsed_ns, rows->operations, load->scratch.values, (size_t)count);
}

static void write_rows(struct rows *rows) {
    const struct load *load = rows->load;
    int64_t end = rows->start_ns;
    for (int c = 0; c < load->consumers; c++) {
        const struct tally *t = &load->receipts[c].tally;
        char series[SERIES_LENGTH];
        snprintf(series, sizeof series, "c%d", c);
        recorder_row(rows->recorder, rows->iteration, rows->phase, series, rows->start_ns,
                     t->end_ns - rows->start_ns, t->handled, NULL, 0);
        rows->operations += t->handled;
        end = t->end_ns > end ? t->end_ns : end;
    }
    rows->elapsed_ns = end - rows->start_ns;
    if (!load->stamped) {
        write_series(rows, "full", offsetof(struct receipts, full));
        return;
    }
    write_series(rows, "intended", offsetof(struct receipts, intended));
    write_series(rows, "sent", offsetof(struct receipts, sent));
    write_late(rows);
    if (load->producers == 1 && load->consumers == 1) {
        write_series(rows, "busy", offsetof(struct receipts, busy));
        write_series(rows, "idle", offsetof(struct receipts, idle));
    }
}

static void write_moments(const struct rows *rows, const char *name, const struct moments *m) {
    const struct {
        const char *suffix;
        double value;
    } parts[] = {{"count", (double)m->count}, {"ns", m->ns}, {"ns2", m->ns2}};
    for (int i = 0; i < 3; i++) {
        char full[64];
        snprintf(full, sizeof full, "%s_%s", name, parts[i].suffix);
        recorder_measure(rows->recorder, rows->iteration, "", full, parts[i].value);
    }
}

static void add_moments(struct moments *to, const struct moments *from) {
    to->count += from->count;
    to->ns += from->ns;
    to->ns2 += from->ns2;
}

static void write_batches(const struct rows *rows, const struct tally *t) {
    if (t->batches == 0) {
        return;
    }
    const struct {
        const char *name;
        double value;
    } sums[] = {{"batches_all", (double)t->batches}, {"batch_events_all", (double)t->batch_events},
                {"batches", (double)t->timed},       {"batch_events", (double)t->timed_events},
                {"batch_ns", t->batch_ns},           {"batch_n2", t->batch_n2},
                {"batch_n_ns", t->batch_n_ns},       {"idle_looks", (double)t->idle_looks}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        recorder_measure(rows->recorder, rows->iteration, "", sums[i].name, sums[i].value);
    }
    for (int k = 0; k < LOAD_SIZES; k++) {
        if (t->sizes[k] > 0) {
            char name[64];
            snprintf(name, sizeof name, "batch_size_%lld", 1LL << k);
            recorder_measure(rows->recorder, rows->iteration, "", name, (double)t->sizes[k]);
        }
    }
}

static void write_measures(const struct rows *rows) {
    const struct load *load = rows->load;
    struct moments busy = {0};
    struct moments idle = {0};
    struct moments cut = {0};
    int64_t failed_polls = 0;
    int64_t backward = 0;
    int64_t full = 0;
    int64_t failed_offers = 0;
    for (int c = 0; c < load->consumers; c++) {
        const struct receipts *r = &load->receipts[c];
        add_moments(&busy, &r->busy_sum);
        add_moments(&idle, &r->idle_sum);
        add_moments(&cut, &r->cut);
        failed_polls += r->tally.failed_polls;
        backward += r->backward;
        write_batches(rows, &r->tally); /* only where there is one consumer */
    }
    for (int p = 0; p < load->producers; p++) {
        full += load->sources[p].full;
        failed_offers += load->sources[p].failed_offers;
    }
    const struct {
        const char *name;
        double value;
    } all[] = {{"handled", (double)rows->operations},
               {"failed_polls", (double)failed_polls},
               {"failed_offers", (double)failed_offers},
               {"full", (double)full},
               {"occupancy_sum", (double)load->sources[0].occupancy},
               {"occupancy_samples", (double)load->sources[0].occupancy_samples},
               {"clock_backward", (double)backward}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        recorder_measure(rows->recorder, rows->iteration, "", all[i].name, all[i].value);
    }
    if (load->stamped && load->producers == 1 && load->consumers == 1) {
        write_moments(rows, "busy", &busy);
        write_moments(rows, "idle", &idle);
        write_moments(rows, "cut", &cut);
    }
}

/* What the checks of the trial need of this iteration. */
static void account(struct load *load) {
    int64_t content = 0;
    for (int p = 0; p < load->producers; p++) {
        const struct source *source = &load->sources[p];
        load->sent += source->sent;
        load->numbers_due += source->sent * (source->sent - 1) / 2;
        for (int64_t i = 0; load->stamped && i < source->sent; i++) {
            content ^= source->due[i];
        }
        load->ends_due++;
    }
    for (int c = 0; c < load->consumers; c++) {
        const struct receipts *r = &load->receipts[c];
        const struct tally *t = &r->tally;
        load->handled += t->handled;
        load->faults += t->faults;
        load->numbers += t->numbers;
        load->announced += t->announced;
        load->ends += t->ends;
        load->backward += r->backward;
        load->sampled += r->intended.count + r->full.count;
        content ^= t->content;
    }
    load->contents_spoilt += content != 0;
}

/* Events per second of a saturated iteration. What was handled while the producers were sending is
 * the capacity, not what was left to take when they had ended. */
static double capacity_of(const struct load *load, int64_t start_ns) {
    int64_t events = 0;
    int64_t longest_ns = 0;
    for (int c = 0; c < load->consumers; c++) {
        const struct receipts *r = &load->receipts[c];
        const bool sampled = r->in_time > 0;
        const int64_t took = sampled ? r->in_time_ns : r->tally.end_ns - start_ns;
        events += sampled ? r->in_time : r->tally.handled;
        longest_ns = took > longest_ns ? took : longest_ns;
    }
    return longest_ns > 0 ? (double)events * 1e9 / (double)longest_ns : 0;
}

static void keep_capacity(struct load *load, const char *phase, int64_t start_ns) {
    if (!load->stamped || !load->saturated) {
        return;
    }
    load->latest_capacity = capacity_of(load, start_ns);
    if (strcmp(phase, LOAD_CAPACITY) == 0) {
        load->capacities[load->capacity_count++] = load->latest_capacity;
    } else if (strcmp(phase, LOAD_CAPACITY_AFTER) == 0) {
        load->capacities_after[load->capacity_after_count++] = load->latest_capacity;
    }
}

void load_measure(void *shared, const struct worker *workers, int iteration,
                  struct recorder *recorder) {
    struct load *load = shared;
    struct rows rows = {.recorder = recorder,
                        .load = load,
                        .iteration = iteration,
                        .phase = phase_of(load->phases, iteration)->name,
                        .start_ns = load_start(load, &workers[0])};
    write_rows(&rows);
    write_measures(&rows);
    account(load);
    if (load->producers == 1 && load->consumers == 1 && load->stamped &&
        load->sources[0].sent > 0) {
        load->latest_missed +=
            load->receipts[0].tally.latest != load->sources[0].due[load->sources[0].sent - 1];
    }
    keep_capacity(load, rows.phase, rows.start_ns);
}

static void check(const struct load *load, struct recorder *recorder) {
    recorder_check_equal(recorder, "events handled equal events sent", load->sent, load->handled);
    recorder_check_equal(recorder, "events lost, repeated or out of order", 0, load->faults);
    recorder_check_equal(recorder, "sum of the numbers", load->numbers_due, load->numbers);
    if (load->stamped) {
        recorder_check_equal(recorder, "iterations whose due times differ", 0,
                             load->contents_spoilt);
        recorder_check_equal(recorder, "iterations without their last event", 0,
                             load->latest_missed);
    }
    recorder_check_equal(recorder, "waits given up", 0, load_abandoned(load));
    char most[32];
    char actual[32];
    snprintf(most, sizeof most, "at most %" PRId64, load->sampled / MOST_BACKWARD + 1);
    snprintf(actual, sizeof actual, "%" PRId64, load->backward);
    recorder_check(recorder, "times that the clock went backward", most, actual,
                   load->backward <= load->sampled / MOST_BACKWARD + 1);
}

int load_finish(struct load *load, struct recorder *recorder, bool generator) {
    if (load->too_many) {
        return load_refuse(load->too_many_rate, load->trial->iteration_ns);
    }
    if (load->stamped) {
        recorder_measure(recorder, WHOLE_TRIAL, "",
                         generator ? "generator_capacity" : LOAD_CAPACITY,
                         load_sustained(load->capacities, load->capacity_count));
        recorder_measure(recorder, WHOLE_TRIAL, "", LOAD_CAPACITY_AFTER,
                         load_sustained(load->capacities_after, load->capacity_after_count));
    }
    recorder_measure(recorder, WHOLE_TRIAL, "", "timer_slack_ns", (double)prctl(PR_GET_TIMERSLACK));
    check(load, recorder);
    if (load->works) {
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
    return 0;
}
