/*
 * $name: threads add to one counter, the least that keeps the harness contract.
 * Put your own kernel in the place of count(), and keep a check that its work was really done.
 *
 * Run: harness/c/build/lab-harness $name --variant count --threads 2
 *      --warmup 5 --iterations 50 --out /tmp/x.hlog
 * Expect: an increment dearer than with --threads 1.
 */
#include "clock.h"
#include "experiment.h"
#include "workers.h"

enum { SAMPLE_EVERY = 64 };

static void count(struct worker *worker, void *shared) {
    int64_t *counter = shared;
    size_t sampled = 0;
    int64_t after;
    do {
        for (int i = 1; i < SAMPLE_EVERY; i++) {
            __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
        }
        int64_t before = clock_ns();
        __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
        after = clock_ns();
        worker->samples[sampled++] = after - before;
    } while (after < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * SAMPLE_EVERY;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    int64_t counter = 0;
    int64_t operations = 0;
    const struct workload workload = {.shared = &counter, .run = count};
    int status = workers_run(trial, recorder, &workload, &operations);
    recorder_check_equal(recorder, "counter equals increments", operations, counter);
    return status;
}

static const struct variant variants[] = {{.name = "count"}, {0}};

const struct experiment experiment_$name = {
    .name = "$name",
    .variants = variants,
    .parameters = NULL,
    .run = run,
};
