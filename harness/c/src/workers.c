/*
 * The workers of a trial: their number and memory, their threads, and the watch over them, which ends a process whose
 * workers no longer meet. What a worker does is in worker.c.
 */
#include "workers.h"
#include "clock.h"
#include "pin.h"
#include "workers_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes two clock reads, so 32 ns is about the closest two can follow each other; 64 MB per worker is the
 * limit beyond that, and a kernel that reaches it ends its iteration early. */
static size_t sample_capacity(const struct phase *phases) {
    enum { CLOSEST_NS = 32, MOST = 8 << 20 };
    int64_t longest = 0;
    for (; phases->name; phases++) {
        longest = phases->iteration_ns > longest ? phases->iteration_ns : longest;
    }
    int64_t samples = longest / CLOSEST_NS + 1024;
    return (size_t)(samples < MOST ? samples : MOST);
}

/* Waits until all workers have ended. One look that finds nothing changed tells little: the whole process may have been
 * stopped meanwhile. Two in a row leave the workers half of the patience to go on in. Who waits for a lost signal can
 * be neither woken nor joined, so the process ends. */
static void await_end(struct pool *pool) {
    const int64_t patience_ns = pool->workload->patience_ns;
    unsigned seen = 0;
    int unchanged = 0;
    pthread_mutex_lock(&pool->gate);
    while (pool->running > 0) {
        if (patience_ns == 0) {
            pthread_cond_wait(&pool->ended, &pool->gate);
            continue;
        }
        const int64_t next = clock_ns() + patience_ns / 2;
        const struct timespec until = {next / 1000000000, next % 1000000000};
        if (pthread_cond_timedwait(&pool->ended, &pool->gate, &until) != ETIMEDOUT) {
            continue;
        }
        unsigned generation = __atomic_load_n(&pool->generation, __ATOMIC_RELAXED);
        unchanged = generation == seen ? unchanged + 1 : 0;
        seen = generation;
        if (unchanged == 2) {
            die(STATUS_CHECK_FAILED,
                "no iteration ended in %.3g s: a worker waits for what does not come, as after a "
                "lost signal",
                (double)patience_ns / 1e9);
        }
    }
    pthread_mutex_unlock(&pool->gate);
}

static int start_and_join(struct pool *pool) {
    int threads = pool->trial->threads;
    pthread_t *ids = allocate((size_t)threads, sizeof *ids);
    int started = 0;
    int error = 0;
    pthread_mutex_lock(&pool->gate);
    while (started < threads && error == 0) {
        error = pthread_create(&ids[started], NULL, worker_main, &pool->workers[started]);
        started += error == 0;
    }
    pool->cancelled = error != 0;
    pool->running = started;
    pthread_mutex_unlock(&pool->gate);
    await_end(pool);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
    return error ? fail(STATUS_NO_RESOURCES, "thread %d of %d cannot be started: %s", started + 1, threads,
                        strerror(error))
                 : pool->status;
}

/* Nothing is told unless the kernel tells it of every worker, and some iteration was measured. */
static void leave_waiting(const struct pool *pool) {
    const int threads = pool->trial->threads;
    struct run_delay *waited = allocate((size_t)threads, sizeof *waited);
    bool known = true;
    for (int i = 0; i < threads; i++) {
        waited[i] = pool->workers[i].waited;
        known = known && !pool->workers[i].waiting_unknown && waited[i].at_ns > 0;
    }
    if (known) {
        recorder_run_delay(pool->recorder, waited, threads);
    }
    free(waited);
}

/* The state of the CPU of the first thread beside the workers, while no worker is there. False: there is none, or it
 * cannot be read. */
static bool read_beside(const struct pool *pool, struct reading *reading) {
    const struct trial *trial = pool->trial;
    return pool->reads && pool->workload->beside > 0 &&
           reading_pair(trial_cpu(trial, 0), trial_cpu(trial, trial->threads), reading) == 0;
}

/* What was read before the workers came and after they had gone belongs to the gaps at the ends. */
static void leave_beside(const struct pool *pool, const struct reading *before, const struct reading *after) {
    if (pool->first_gap >= 0) {
        recorder_reading(pool->recorder, pool->first_gap, pool->trial->threads, before);
        recorder_reading(pool->recorder, pool->last_gap, pool->trial->threads, after);
    }
}

int workers_run(const struct trial *trial, struct recorder *recorder, const struct workload *workload,
                int64_t *operations) {
    struct pool *pool = allocate(1, sizeof *pool);
    *pool = (struct pool){.trial = trial,
                          .workload = workload,
                          .phases = workload->phases ? workload->phases : phases_usual(trial),
                          .recorder = recorder,
                          .first_gap = -1};
    settling_init(&pool->settling, pool->phases);
    pthread_mutex_init(&pool->gate, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pool->workers = allocate((size_t)trial->threads, sizeof *pool->workers);
    bool oversubscribed = trial->threads + workload->beside > pin_distinct(trial->cpus, trial->cpu_count);
    pool->reads = trial->cpu_count > 0 && !oversubscribed;
    for (int i = 0; i < trial->threads; i++) {
        struct worker *worker = &pool->workers[i];
        worker->index = i;
        worker->pool = pool;
        worker->oversubscribed = oversubscribed;
        worker->sample_capacity = sample_capacity(pool->phases);
        if (!workload->series) {
            snprintf(worker->series, sizeof worker->series, "t%d", i);
        } else if (i == 0) {
            snprintf(worker->series, sizeof worker->series, "%s", workload->series);
        }
    }
    struct reading before;
    struct reading after;
    bool read = read_beside(pool, &before);
    int status = start_and_join(pool);
    read = read && read_beside(pool, &after);
    if (read) {
        leave_beside(pool, &before, &after);
    }
    leave_waiting(pool);
    int64_t voluntary = 0;
    int64_t involuntary = 0;
    for (int i = 0; i < trial->threads; i++) {
        voluntary += pool->workers[i].voluntary;
        involuntary += pool->workers[i].involuntary;
        free(pool->workers[i].samples);
    }
    recorder_measure(recorder, WHOLE_TRIAL, "", "context_switches_voluntary", (double)voluntary);
    recorder_measure(recorder, WHOLE_TRIAL, "", "context_switches_involuntary", (double)involuntary);
    if (operations) {
        *operations = pool->operations;
    }
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->gate);
    free(pool->workers);
    free(pool);
    return status;
}
