#include "load.h"
#include "allocate.h"
#include "random.h"
#include "status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NS = 5000000, BURST = 64, CUT_NS = 50000 };

const char *const load_arrivals[] = {"poisson", "uniform", NULL};
const char *const load_work_kinds[] = {"constant", "exponential", NULL};

void samples_make_room(struct samples *samples, int64_t count) {
    samples->count = 0;
    if (samples->room < count) {
        free(samples->values);
        samples->values = allocate((size_t)count, sizeof *samples->values);
        samples->room = count;
    }
}

static int64_t sample_room(const struct load *load, int64_t events) {
    return events / (load->stamped ? load->mask + 1 : LOAD_UNSTAMPED_EVERY) + 2;
}

int load_refuse(double rate, int64_t iteration_ns) {
    return fail(STATUS_BAD_ARGUMENT,
                "--iteration-ms: '%" PRId64
                "' is not accepted: at %.3g events/s (--rate or --load) "
                "these are more than %d events, give less of either",
                iteration_ns / 1000000, rate, LOAD_MOST_EVENTS);
}

static int check_arguments(const struct load *load) {
    if (load->percent > 0 && load->rate_given > 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--rate: '%.0f' is not accepted: give it or --load %d, not both",
                    load->rate_given, load->percent);
    }
    if (load->stall_ns > 0 && !load->stamped) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--stall-ms: '%" PRId64 "' is not accepted: give a --load or a --rate with it",
                    load->stall_ns / 1000000);
    }
    if (load->rate_given * 1e-9 * (double)load->trial->iteration_ns > LOAD_MOST_EVENTS) {
        return load_refuse(load->rate_given, load->trial->iteration_ns);
    }
    return 0;
}

static void init_work(struct load *load) {
    if (!load->works) {
        return;
    }
    const bool exponential = strcmp(trial_text(load->trial, "work-kind"), "exponential") == 0;
    const double steps = (double)load->work_ns / work_step_ns();
    for (int c = 0; c < load->consumers; c++) {
        work_init(&load->receipts[c].work, steps, exponential, (uint64_t)c);
    }
}

int load_open(struct load *load, const struct trial *trial, int producers, int consumers,
              bool in_order) {
    *load = (struct load){.trial = trial,
                          .percent = (int)trial_int(trial, "load"),
                          .rate_given = (double)trial_int(trial, "rate"),
                          .producers = producers,
                          .consumers = consumers,
                          .in_order = in_order,
                          .mask = trial_int(trial, "sample-every") - 1,
                          .work_ns = trial_int(trial, "work"),
                          .stall_ns = trial_int(trial, "stall-ms") * 1000000};
    load->stamped = load->percent > 0 || load->rate_given > 0;
    load->works = load->work_ns > 0;
    const int status = check_arguments(load);
    if (status) {
        return status;
    }
    const int64_t iteration_ns = trial->iteration_ns;
    const struct phase paced[] = {{"warmup", trial->warmup, SHORT_NS},
                                  {LOAD_CAPACITY, 10, SHORT_NS},
                                  {"measured", trial->iterations, iteration_ns},
                                  {LOAD_CAPACITY_AFTER, 3, SHORT_NS},
                                  {0}};
    const struct phase saturated[] = {{"warmup", trial->warmup, iteration_ns},
                                      {"measured", trial->iterations, iteration_ns}};
    if (load->stamped) {
        memcpy(load->own_phases, paced, sizeof paced);
        arrivals_init(&load->arrivals, strcmp(trial_text(trial, "arrivals"), "poisson") == 0,
                      (uint64_t)trial_int(trial, "seed"));
    } else {
        memcpy(load->own_phases, saturated, sizeof saturated);
    }
    load->phases = load->own_phases;
    load->sources = allocate((size_t)producers, sizeof *load->sources);
    load->receipts = allocate((size_t)consumers, sizeof *load->receipts);
    for (int p = 0; p < producers; p++) {
        load->sources[p].index = p;
        load->sources[p].random = (uint64_t)p;
    }
    init_work(load);
    return 0;
}

void load_close(struct load *load) {
    for (int p = 0; load->sources && p < load->producers; p++) {
        free(load->sources[p].due);
        free(load->sources[p].late.values);
    }
    for (int c = 0; load->receipts && c < load->consumers; c++) {
        struct receipts *r = &load->receipts[c];
        for (struct samples *s = &r->intended; s <= &r->full; s++) {
            free(s->values);
        }
    }
    free(load->scratch.values);
    free(load->sources);
    free(load->receipts);
    arrivals_free(&load->arrivals);
}

int64_t load_patience(const struct load *load, int64_t queued) {
    const int64_t length =
        load->trial->iteration_ns > SHORT_NS ? load->trial->iteration_ns : SHORT_NS;
    const double events = load->rate_given * 1e-9 * (double)length + (double)queued;
    const int64_t factor = load->percent > 100 ? 2 : 1;
    return factor * length + (int64_t)events * (load->work_ns + 1000) + WORKERS_GRACE_NS;
}

void load_look(const struct load *load, struct source *source, int64_t sent, int64_t now) {
    enum { LEAST_NS = 8000, SPREAD_NS = 24000 };
    source->look_ns = now + LEAST_NS + (int64_t)(random_next(&source->random) % SPREAD_NS);
    if (source->index > 0 || sent <= source->settled) {
        return;
    }
    int64_t handled = 0;
    for (int c = 0; c < load->consumers; c++) {
        handled += __atomic_load_n(&load->receipts[c].handled, __ATOMIC_ACQUIRE);
    }
    for (int p = 1; p < load->producers; p++) {
        sent += __atomic_load_n(&load->sources[p].progress, __ATOMIC_RELAXED);
    }
    source->occupancy += sent - handled;
    source->occupancy_samples++;
}

static void moment(struct moments *moments, int64_t nanos) {
    moments->count++;
    moments->ns += (double)nanos;
    moments->ns2 += (double)nanos * (double)nanos;
}

/* The clocks of two CPUs may differ by a little. */
static int64_t at_least_zero(struct receipts *r, int64_t nanos) {
    r->backward += nanos < 0;
    return nanos < 0 ? 0 : nanos;
}

static void stall(struct load *load) {
    load->stall_at = INT64_MAX;
    struct timespec left = {load->stall_ns / 1000000000, load->stall_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

int64_t load_sample(struct load *load, struct receipts *r, const struct event *event,
                    int64_t previous, int64_t handled, int64_t start) {
    const int64_t index = event->number & ((INT64_C(1) << LOAD_PRODUCER_SHIFT) - 1);
    if (index >= load->stall_at) {
        stall(load);
    }
    const int64_t done = clock_ns() - start;
    const struct source *source = &load->sources[event->number >> LOAD_PRODUCER_SHIFT];
    if (done <= source->limit_ns) {
        r->in_time = handled;
        r->in_time_ns = done;
    }
    if (index < source->settled || index == 0) {
        return done;
    }
    samples_add(&r->intended, at_least_zero(r, done - event->due));
    samples_add(&r->sent, at_least_zero(r, done - event->sent));
    if (load->producers > 1 || load->consumers > 1) {
        return done;
    }
    const bool waited = event->sent <= previous;
    const int64_t service = at_least_zero(r, done - (waited ? previous : event->sent));
    samples_add(waited ? &r->busy : &r->idle, service);
    moment(waited ? &r->busy_sum : &r->idle_sum, service);
    if (service > CUT_NS) {
        moment(&r->cut, service);
    }
    return done;
}

void load_sample_full(struct receipts *r, int64_t sojourn) {
    samples_add(&r->full, at_least_zero(r, sojourn));
}

/* What an iteration of a paced trial is for. */
enum kind { SATURATED, PACED, EMPTY, BURSTS };

static enum kind kind_of(const struct load *load, const char *phase, int iteration) {
    if (!load->stamped || strcmp(phase, LOAD_CAPACITY) == 0 ||
        strcmp(phase, LOAD_CAPACITY_AFTER) == 0) {
        return SATURATED;
    }
    return strcmp(phase, "measured") == 0 ? PACED : (enum kind)(iteration % 4);
}

static void due_room(struct source *source, int64_t count) {
    if (source->room < count) {
        free(source->due);
        source->due = allocate((size_t)count, sizeof *source->due);
        source->room = count;
    }
}

static void saturate(const struct load *load, struct source *source) {
    source->limit_ns = load->length_ns;
    source->settled = 0;
    source->count = INT64_MAX;
    if (load->stamped) {
        due_room(source, LOAD_SATURATED_EVENTS);
        memset(source->due, 0, LOAD_SATURATED_EVENTS * sizeof *source->due);
        source->count = LOAD_SATURATED_EVENTS;
    }
}

static void schedule(struct load *load, struct source *source, int iteration, int group) {
    double rate = load->rate_given;
    if (load->percent > 0) {
        /* The capacity proper once it is known; until then, in the warm-up, the latest there is. */
        rate = load->capacity_count > 0 ? load_sustained(load->capacities, load->capacity_count)
                                        : load->latest_capacity;
        rate *= load->percent / 100.0;
    }
    rate /= load->producers;
    source->limit_ns = INT64_MAX;
    source->count = 0;
    if (rate * 1e-9 * (double)load->length_ns > LOAD_MOST_EVENTS) {
        load->too_many = true;
        load->too_many_rate = rate * load->producers;
    } else if (rate > 0) {
        const int64_t place = arrivals_place(iteration, source->index, load->producers);
        due_room(source, (int64_t)(rate * 1.2e-9 * (double)load->length_ns) + LOAD_UNSTAMPED_EVERY);
        int64_t count;
        while ((count = arrivals_due(&load->arrivals, place, rate, group, load->length_ns,
                                     source->due, source->room)) > source->room) {
            due_room(source, count);
        }
        source->count = count;
    }
    source->settled = source->count / 10;
    while (source->settled < source->count && source->due[source->settled] < LOAD_SETTLE_NS) {
        source->settled++;
    }
}

static void prepare_source(struct load *load, struct source *source, enum kind kind,
                           int iteration) {
    if (kind == SATURATED) {
        saturate(load, source);
    } else {
        schedule(load, source, iteration, kind == BURSTS ? BURST : 1);
    }
    if (kind == EMPTY || load->too_many) {
        source->count = 0;
    }
    const int64_t events = source->count == INT64_MAX ? load->length_ns : source->count;
    samples_make_room(&source->late, load->stamped ? sample_room(load, events) : 0);
    source->look_ns = 0;
    source->occupancy = source->occupancy_samples = 0;
    source->full = source->failed_offers = 0;
    source->progress = 0;
}

static void prepare_receipts(const struct load *load, struct receipts *r, int64_t events) {
    const int64_t room = sample_room(load, events) + load->producers;
    const int64_t paced = load->stamped ? room : 0;
    const int64_t pairs = load->producers == 1 && load->consumers == 1 ? paced : 0;
    samples_make_room(&r->intended, paced);
    samples_make_room(&r->sent, paced);
    samples_make_room(&r->busy, pairs);
    samples_make_room(&r->idle, pairs);
    samples_make_room(&r->full, load->stamped ? 0 : room);
    r->handled = 0;
    r->tally = (struct tally){0};
    r->busy_sum = r->idle_sum = r->cut = (struct moments){0};
    r->backward = r->in_time = r->in_time_ns = 0;
}

void load_prepare(void *shared, struct worker *workers, int iteration) {
    struct load *load = shared;
    const struct phase *phase = phase_of(load->phases, iteration);
    const enum kind kind = kind_of(load, phase->name, iteration);
    load->length_ns = phase->iteration_ns;
    load->saturated = kind == SATURATED;
    int64_t events = 0;
    for (int p = 0; p < load->producers; p++) {
        struct source *source = &load->sources[p];
        prepare_source(load, source, kind, iteration);
        events += source->count == INT64_MAX ? load->length_ns : source->count;
    }
    for (int c = 0; c < load->consumers; c++) {
        prepare_receipts(load, &load->receipts[c], events);
    }
    const int before = load->trial->warmup + load->phases[1].iterations;
    load->stall_at = INT64_MAX;
    if (load->stall_ns > 0 && iteration == before + load->trial->iterations / 2) {
        load->stall_at = load->sources[0].count / 2;
    }
    for (int i = 0; i < load->trial->threads; i++) {
        workers[i].series[0] = 0; /* the rows are those of the consumers, see load_measure() */
    }
}
