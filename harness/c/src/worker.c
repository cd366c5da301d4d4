/*
 * One worker: where it runs, how it meets the others, its iterations, and what is counted around them. How workers are
 * started and watched is in workers.c.
 */
#include "clock.h"
#include "cpu.h"
#include "meeting.h"
#include "pin.h"
#include "workers_pool.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_OBSERVED = 8 };

/* Meets the others. True, at once, for the last to arrive, who must let the others go; false for the others once it
 * has. They leave within about one line transfer of each other: that is why they spin instead of sleeping, whose
 * wake-ups would spread the starts over tens of microseconds. */
static bool arrive(struct pool *pool, bool oversubscribed) {
    unsigned generation = __atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&pool->arrived, 1, __ATOMIC_ACQ_REL) == pool->trial->threads) {
        return true;
    }
    unsigned spins = 0;
    while (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) == generation) {
        spin_wait(&spins, oversubscribed);
    }
    return false;
}

static void let_go(struct pool *pool) {
    __atomic_store_n(&pool->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&pool->generation, pool->generation + 1, __ATOMIC_RELEASE);
}

static void barrier_wait(struct pool *pool, bool oversubscribed) {
    if (arrive(pool, oversubscribed)) {
        let_go(pool);
    }
}

static void count_switches(struct worker *worker, int sign) {
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        worker->voluntary += sign * usage.ru_nvcsw;
        worker->involuntary += sign * usage.ru_nivcsw;
    }
}

/* Those of the threads beside the workers, by worker 0. */
static void count_beside(struct worker *worker, const struct phase *phase, int sign) {
    const struct workload *workload = worker->pool->workload;
    if (worker->index == 0 && workload->switches && strcmp(phase->name, "measured") == 0) {
        int64_t voluntary = 0;
        int64_t involuntary = 0;
        workload->switches(workload->shared, &voluntary, &involuntary);
        worker->voluntary += sign * voluntary;
        worker->involuntary += sign * involuntary;
    }
}

static void add_waiting(struct worker *worker, int sign) {
    struct run_delay now;
    worker->waiting_unknown = !run_delay_read(&now) || worker->waiting_unknown;
    worker->waited.ran_ns += sign * now.ran_ns;
    worker->waited.delay_ns += sign * now.delay_ns;
    worker->waited.process_ns += sign * now.process_ns;
    worker->waited.at_ns += sign * now.at_ns;
}

/* Before an iteration, and after the last. Counted from before the first measured iteration of a row of them to after
 * its last: a file is read, which no iteration should wait for. */
static void follow_waiting(struct worker *worker, bool measured) {
    if (measured != worker->following) {
        add_waiting(worker, measured ? -1 : 1);
        worker->following = measured;
    }
}

/* All workers are here before one of them meets the other parts, and wait for it afterwards. */
static void meet_parts(const struct worker *worker) {
    if (meeting_of_process()->parts == 1) {
        return;
    }
    barrier_wait(worker->pool, worker->oversubscribed);
    if (worker->index == 0) {
        meeting_meet(worker->pool->trial->iteration_ns + WORKERS_GRACE_NS);
    }
}

/* The last worker to end an iteration, before any goes on. */
static void settle(struct pool *pool, int iteration) {
    if (meeting_of_process()->parts > 1) {
        const int64_t patience_ns = pool->trial->iteration_ns + WORKERS_GRACE_NS;
        const bool compiled = meeting_compiled(iteration, patience_ns);
        if (settling_ended(&pool->settling, iteration, compiled)) {
            recorder_compiled(pool->recorder, iteration);
        }
    }
}

/* Every other pair of neighbours at a time: worker `first` asks the next one, the third the fourth, and so on. */
static void read_words(struct worker *worker, int first) {
    struct pool *pool = worker->pool;
    barrier_wait(pool, false);
    if (worker->index >= first && (worker->index - first) % 2 == 1) {
        reading_answer(&pool->workers[worker->index - 1].line);
    } else if (worker->index >= first && worker->index + 1 < pool->trial->threads) {
        worker->reading.word_ns = reading_ask(&worker->line);
    }
}

/* The state of all CPUs, between two iterations. Nobody sleeps from here to the iteration. */
static void read_state(struct worker *worker) {
    struct pool *pool = worker->pool;
    if (pool->reads) {
        worker->reading.word_ns = NAN;
        barrier_wait(pool, false);
        reading_core(&worker->reading);
        for (int first = 0; first < 2 && first + 1 < pool->trial->threads; first++) {
            read_words(worker, first);
        }
    }
}

/* Worker 0, once all have read: readings belong to the measured iterations on both of their sides. */
static void leave_readings(struct pool *pool, int iteration) {
    const struct phase *after = phase_of(pool->phases, iteration);
    const struct phase *before = iteration ? phase_of(pool->phases, iteration - 1) : NULL;
    const bool told = (after && !phase_warmup(after)) || (before && !phase_warmup(before));
    if (pool->reads && told) {
        pool->first_gap = pool->first_gap < 0 ? iteration : pool->first_gap;
        pool->last_gap = iteration;
        for (int i = 0; i < pool->trial->threads; i++) {
            recorder_reading(pool->recorder, iteration, i, &pool->workers[i].reading);
        }
    }
}

static void run_iteration(struct worker *worker, const struct phase *phase, int iteration) {
    struct pool *pool = worker->pool;
    bool measured = strcmp(phase->name, "measured") == 0;
    read_state(worker);
    meet_parts(worker);
    if (arrive(pool, worker->oversubscribed)) {
        pool->deadline_ns = clock_ns() + phase->iteration_ns;
        let_go(pool);
    }
    /* Not before: until then worker 0 may still be folding the iteration before. */
    worker->operations = 0;
    worker->sample_count = 0;
    if (measured) {
        count_switches(worker, -1);
    }
    worker->start_ns = clock_ns();
    worker->deadline_ns = pool->deadline_ns;
    pool->workload->run(worker, pool->workload->shared);
    worker->end_ns = clock_ns();
    if (measured) {
        count_switches(worker, 1);
    }
    if (arrive(pool, worker->oversubscribed)) {
        settle(pool, iteration);
        let_go(pool);
    }
}

/* Worker 0, while the others wait for the next iteration. */
static void fold(struct pool *pool, int iteration, const char *phase) {
    for (int i = 0; i < pool->trial->threads; i++) {
        const struct worker *w = &pool->workers[i];
        pool->operations += w->operations;
        if (w->series[0]) {
            recorder_row(pool->recorder, iteration, phase, w->series, w->start_ns, w->end_ns - w->start_ns,
                         w->operations, w->samples, w->sample_count);
        }
    }
    if (pool->workload->measure) {
        pool->workload->measure(pool->workload->shared, pool->workers, iteration, pool->recorder);
    }
}

static void set_up(struct worker *worker) {
    struct pool *pool = worker->pool;
    int cpu = trial_cpu(pool->trial, worker->index);
    int observed[MAX_OBSERVED];
    int count;
    int error = pin_thread(cpu, observed, MAX_OBSERVED, &count);
    /* Touched by the thread that will write it, on its own CPU: no page faults while timing, and local memory on a NUMA
     * host. */
    worker->samples = allocate(worker->sample_capacity, sizeof *worker->samples);
    pthread_mutex_lock(&pool->gate);
    recorder_pinning(pool->recorder, worker->index, cpu, observed, count);
    if (error && !pool->status) {
        pool->status = fail(STATUS_BAD_ARGUMENT, "--cpus: thread %d cannot run on CPU %d: %s", worker->index, cpu,
                            strerror(error));
    }
    pthread_mutex_unlock(&pool->gate);
}

static void run_all(struct worker *worker) {
    struct pool *pool = worker->pool;
    set_up(worker);
    barrier_wait(pool, worker->oversubscribed);
    const struct phase *phase;
    int i;
    for (i = 0; !pool->status && (phase = phase_of(pool->phases, i)); i++) {
        follow_waiting(worker, strcmp(phase->name, "measured") == 0);
        if (worker->index == 0 && pool->workload->prepare) {
            pool->workload->prepare(pool->workload->shared, pool->workers, i);
        }
        count_beside(worker, phase, -1);
        run_iteration(worker, phase, i);
        count_beside(worker, phase, 1);
        if (worker->index == 0) {
            leave_readings(pool, i);
            fold(pool, i, phase->name);
        }
    }
    if (!pool->status && pool->reads) {
        read_state(worker);
        barrier_wait(pool, worker->oversubscribed);
        if (worker->index == 0) {
            leave_readings(pool, i);
        }
    }
    follow_waiting(worker, false);
}

void *worker_main(void *argument) {
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    pthread_mutex_lock(&pool->gate);
    bool cancelled = pool->cancelled;
    pthread_mutex_unlock(&pool->gate);
    if (!cancelled) {
        run_all(worker);
    }
    pthread_mutex_lock(&pool->gate);
    if (--pool->running == 0) {
        pthread_cond_signal(&pool->ended);
    }
    pthread_mutex_unlock(&pool->gate);
    return NULL;
}
