#include "owner_logs.h"
#include "hand_overs.h"
#include "lock_services.h"
#include "stats.h"

#include <math.h>

enum { FEWEST = 3 };

/* A measured iteration that was logged. */
struct logged {
    int iteration;
    const char *phase;
    int64_t begun_ns;
    /* When all threads had begun and when none had ended yet, since the logs' origin. */
    int64_t from, until;
    struct owner_stretch *stretch; /* by thread */
};

struct owner_logs {
    const struct trial *trial;
    struct owner_log *log; /* by thread */
    bool logs;             /* in this iteration */
    bool outside;          /* threads work outside the lock: the log is of operations */
    double clock_ns;
    int64_t origin;
    struct logged *kept;
    size_t kept_count, kept_capacity;
    /* Operations of measured iterations that were logged (1), and of those that were not (0). */
    int64_t *operations[2];
    size_t count[2];
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

struct owner_logs *owner_logs_open(const struct trial *trial) {
    const size_t capacity = (size_t)trial_int(trial, "log");
    if (capacity == 0) {
        return NULL;
    }
    struct owner_logs *logs = allocate(1, sizeof *logs);
    logs->trial = trial;
    logs->outside = trial_int(trial, "outside") > 0;
    logs->clock_ns = logs->outside ? clock_read_cost() : 0;
    logs->kept_capacity = (size_t)trial->iterations / 2 + 1;
    logs->kept = allocate(logs->kept_capacity, sizeof *logs->kept);
    logs->log = allocate((size_t)trial->threads, sizeof *logs->log);
    for (int i = 0; i < trial->threads; i++) {
        owner_log_init(&logs->log[i], capacity, logs->kept_capacity);
    }
    for (int i = 0; i < 2; i++) {
        logs->operations[i] = allocate((size_t)trial->iterations + 1, sizeof *logs->operations[i]);
    }
    return logs;
}

struct owner_log *owner_logs_of(struct owner_logs *logs, int thread) {
    return logs && logs->logs ? &logs->log[thread] : NULL;
}

void owner_logs_prepare(struct owner_logs *logs, int iteration, uint64_t count) {
    if (!logs) {
        return;
    }
    logs->logs = iteration % 2 == 0;
    logs->origin = clock_ns();
    for (int i = 0; i < logs->trial->threads; i++) {
        owner_log_prepare(&logs->log[i], count, logs->origin);
    }
}

static void keep(struct owner_logs *logs, struct logged *kept, const struct worker *workers) {
    const int threads = logs->trial->threads;
    kept->begun_ns = kept->until = INT64_MAX;
    kept->stretch = allocate((size_t)threads, sizeof *kept->stretch);
    for (int i = 0; i < threads; i++) {
        const int64_t from = workers[i].start_ns - logs->origin;
        const int64_t until = workers[i].end_ns - logs->origin;
        kept->begun_ns = least(kept->begun_ns, workers[i].start_ns);
        kept->from = from > kept->from ? from : kept->from;
        kept->until = least(kept->until, until);
        kept->stretch[i] = owner_log_keep(&logs->log[i]);
    }
}

void owner_logs_ended(struct owner_logs *logs, int iteration, const struct worker *workers,
                      const struct recorder *recorder) {
    if (!logs || strcmp(iteration_phase(logs->trial, iteration), "measured") != 0) {
        return;
    }
    int64_t operations = 0;
    for (int i = 0; i < logs->trial->threads; i++) {
        operations += workers[i].operations;
    }
    if (logs->count[logs->logs] <= (size_t)logs->trial->iterations) {
        logs->operations[logs->logs][logs->count[logs->logs]++] = operations;
    }
    if (logs->logs && logs->kept_count < logs->kept_capacity) {
        struct logged *kept = &logs->kept[logs->kept_count++];
        *kept = (struct logged){.iteration = iteration, .phase = recorder_phase(recorder, iteration, "measured")};
        keep(logs, kept, workers);
    }
}

static void leave_rows(const struct logged *kept, const struct owner_runs *runs, const struct hand_overs *found,
                       struct recorder *recorder) {
    const int64_t ns = owner_runs_ns(runs);
    const int64_t operations = owner_runs_operations(runs);
    const struct {
        const char *series;
        const int64_t *values;
        size_t count;
    } rows[] = {{"handover", found->hand_over, found->runs},
                {"wait", found->wait, found->waits},
                {"owned", found->length, found->runs}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        recorder_row(recorder, kept->iteration, kept->phase, rows[i].series, kept->begun_ns, ns, operations,
                     rows[i].values, rows[i].count);
    }
    /* The first operation of a run has waited; of a thread's first run nobody knows since when. */
    const size_t size = found->waits + found->runs;
    int64_t *values = allocate(size + 1, sizeof *values);
    int64_t *times = allocate(size + 1, sizeof *times);
    memcpy(values, found->wait, found->waits * sizeof *values);
    for (size_t i = 0; i < found->waits; i++) {
        times[i] = 1;
    }
    memcpy(values + found->waits, found->each, found->runs * sizeof *values);
    memcpy(times + found->waits, found->rest, found->runs * sizeof *times);
    recorder_row_repeated(recorder, kept->iteration, kept->phase, "residence", kept->begun_ns, ns, operations, values,
                          times, size);
    free(values);
    free(times);
}

/* What is not known is left out. */
static void measure(struct recorder *recorder, int iteration, const char *name, double value) {
    if (!isnan(value)) {
        recorder_measure(recorder, iteration, "", name, value);
    }
}

static void leave(const struct logged *kept, int threads, struct recorder *recorder) {
    struct owner_runs runs = owner_runs_of(kept->stretch, threads, kept->from, kept->until);
    if (runs.count > 0) {
        struct hand_overs found = hand_overs_of(&runs);
        leave_rows(kept, &runs, &found, recorder);
        measure(recorder, kept->iteration, "window_operations", (double)owner_runs_operations(&runs));
        measure(recorder, kept->iteration, "owner_runs", (double)runs.count);
        measure(recorder, kept->iteration, "reacquire_operations", found.median_between);
        measure(recorder, kept->iteration, "log_ns", (double)owner_runs_ns(&runs));
        measure(recorder, kept->iteration, "section_ns", found.section_ns);
        measure(recorder, kept->iteration, "handover_mean_ns", found.mean_ns);
        measure(recorder, kept->iteration, "handover_hidden", (double)found.hidden);
        hand_overs_free(&found);
    }
    owner_runs_free(&runs);
}

static double mean(const int64_t *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i];
    }
    return count ? sum / (double)count : NAN;
}

/* With work outside: the services of the lock. */
static void leave_services(const struct logged *kept, int threads, double clock_ns, struct recorder *recorder) {
    struct lock_services found = lock_services_of(kept->stretch, threads, kept->from, kept->until, clock_ns);
    const int64_t ns = found.last_ns - found.first_ns;
    const int64_t operations = (int64_t)(found.frees + found.queueds);
    if (operations > 0) {
        recorder_row(recorder, kept->iteration, kept->phase, "service_free", kept->begun_ns, ns, operations, found.free,
                     found.frees);
        recorder_row(recorder, kept->iteration, kept->phase, "service_queued", kept->begun_ns, ns, operations,
                     found.queued, found.queueds);
        measure(recorder, kept->iteration, "service_free_ns", mean(found.free, found.frees));
        measure(recorder, kept->iteration, "service_queued_ns", mean(found.queued, found.queueds));
    }
    lock_services_free(&found);
}

void owner_logs_leave(struct owner_logs *logs, struct recorder *recorder) {
    if (!logs || logs->trial->threads < 2) {
        return;
    }
    for (size_t i = 0; i < logs->kept_count; i++) {
        if (logs->outside) {
            leave_services(&logs->kept[i], logs->trial->threads, logs->clock_ns, recorder);
        } else {
            leave(&logs->kept[i], logs->trial->threads, recorder);
        }
    }
    if (logs->count[0] >= FEWEST && logs->count[1] >= FEWEST) {
        /* How much less is done where the log is kept: 1.05 is 5 %. */
        recorder_measure(recorder, WHOLE_TRIAL, "", "log_cost",
                         stats_median(logs->operations[0], logs->count[0]) /
                             stats_median(logs->operations[1], logs->count[1]));
    }
}

void owner_logs_close(struct owner_logs *logs) {
    if (!logs) {
        return;
    }
    for (size_t i = 0; i < logs->kept_count; i++) {
        free(logs->kept[i].stretch);
    }
    for (int i = 0; i < logs->trial->threads; i++) {
        free(logs->log[i].words);
    }
    free(logs->operations[0]);
    free(logs->operations[1]);
    free(logs->kept);
    free(logs->log);
    free(logs);
}
