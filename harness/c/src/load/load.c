#include "load.h"
#include "load/schedule.h"
#include "load/services.h"
#include "pin.h"
#include "status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const load_arrivals[] = {"poisson", "uniform", NULL};
const char *const load_work_kinds[] = {"constant", "exponential", NULL};

static int check_arguments(const struct load *load) {
    if (load->percent > 0 && load->rate_given > 0) {
        return trial_refuse(load->trial, "rate", ": give it or --load %d, not both", load->percent);
    }
    if (load->stall_ns > 0 && !load->stamped) {
        return trial_refuse(load->trial, "stall-ms", ": give a --load or a --rate with it");
    }
    const int64_t iteration_ns = load->trial->iteration_ns;
    return schedule_fits(load->rate_given, iteration_ns) ? 0 : schedule_refuse(load->rate_given, iteration_ns);
}

static void init_phases(struct load *load) {
    const struct trial *trial = load->trial;
    const struct phase saturated[] = {{"warmup", trial->warmup, trial->iteration_ns},
                                      {"measured", trial->iterations, trial->iteration_ns}};
    const struct phase paced[] = {{"warmup", trial->warmup, LOAD_SHORT_NS},
                                  {LOAD_CAPACITY, CAPACITY_ITERATIONS, LOAD_SHORT_NS},
                                  {"measured", trial->iterations, trial->iteration_ns},
                                  {LOAD_CAPACITY_AFTER, CAPACITY_AFTER, LOAD_SHORT_NS}};
    const struct phase at_rate[] = {{"warmup", trial->warmup, LOAD_SHORT_NS},
                                    {"measured", trial->iterations, trial->iteration_ns}};
    if (load->percent > 0) {
        memcpy(load->phases, paced, sizeof paced);
    } else if (load->stamped) { /* a rate is one whatever the consumers could bear */
        memcpy(load->phases, at_rate, sizeof at_rate);
    } else {
        memcpy(load->phases, saturated, sizeof saturated);
    }
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

int load_open(struct load *load, const struct trial *trial, int producers, int consumers, bool in_order) {
    *load = (struct load){.trial = trial,
                          .percent = (int)trial_int(trial, "load"),
                          .rate_given = (double)trial_int(trial, "rate"),
                          .producers = producers,
                          .consumers = consumers,
                          .in_order = in_order,
                          .handed_over = true,
                          .looked_for = true,
                          .awake = trial->threads <= pin_distinct(trial->cpus, trial->cpu_count),
                          .mask = trial_int(trial, "sample-every") - 1,
                          .work_ns = trial_int(trial, "work"),
                          .stall_ns = trial_int(trial, "stall-ms") * 1000000};
    load->stamped = load->percent > 0 || load->rate_given > 0;
    load->works = load->work_ns > 0;
    const int status = check_arguments(load);
    if (status) {
        return status;
    }
    init_phases(load);
    if (load->stamped) {
        arrivals_init(&load->arrivals, strcmp(trial_text(trial, "arrivals"), "poisson") == 0,
                      (uint64_t)trial_int(trial, "seed"));
    }
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
        for (int i = 0; i < LOAD_SERIES; i++) {
            free(load->receipts[c].series[i].values);
        }
    }
    services_free(&load->services);
    free(load->scratch.values);
    free(load->sources);
    free(load->receipts);
    arrivals_free(&load->arrivals);
}

/* Without times a producer looks at the deadline once in LOAD_UNSTAMPED_EVERY events, each of which may wait for the
 * other side to wake, or for its turn on a CPU. */
static int64_t unstamped_patience(const struct load *load) {
    const struct trial *trial = load->trial;
    const bool shared = load->producers + load->consumers > pin_distinct(trial->cpus, trial->cpu_count);
    return load->stamped ? 0 : LOAD_UNSTAMPED_EVERY * (shared ? WORKERS_SLICE_NS : WORKERS_WAKE_NS);
}

int64_t load_patience(const struct load *load, int64_t queued) {
    const int64_t length = load->trial->iteration_ns > LOAD_SHORT_NS ? load->trial->iteration_ns : LOAD_SHORT_NS;
    const double events = load->rate_given * 1e-9 * (double)length + (double)queued;
    const int64_t factor = load->percent > 100 ? 2 : 1;
    return factor * length + load->stall_ns + (int64_t)events * (load->work_ns + 1000) + unstamped_patience(load) +
           WORKERS_GRACE_NS;
}
