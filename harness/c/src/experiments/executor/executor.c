/*
 * executor: tiny tasks handed to a pool of threads, under a load (load.h).
 *
 * The workers of the trial are the producers; the pool has threads of its own. A producer owns a
 * ring of `window` tasks, and submits one again when it has been run: that bounds the tasks on
 * their way, alike for all variants. `caller` runs each task where it is made: the control.
 *
 * Values: as in queues, of a task from its due time or submission to the end of its own work.
 *
 * Run: harness/c/build/lab-harness executor --variant pool_vyukov --cpus 0,1 --warmup 20
 *      --iterations 20 --out /tmp/x.hlog
 * Expect: fewer tasks per second than `caller` runs, for each has to cross between two CPUs.
 */
#include "executor.h"
#include "experiment.h"
#include "load.h"
#include "pin.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline struct event *claim_task(void *shared, struct source *source,
                                       struct patience *patience) {
    const struct producer *producer = &((struct executor *)shared)->producers[source->index];
    struct task *task = &producer->tasks[producer->next & producer->mask];
    if (__builtin_expect(!task_done(task), 0)) {
        source->full++;
        do {
            source->failed_offers++;
            if (!load_wait(patience)) {
                return NULL;
            }
        } while (!task_done(task));
    }
    return &task->event;
}

/* The task of a slot that claim_task() gave, which counts as submitted from now on. */
static inline struct task *submitted(void *shared, struct source *source, struct event *slot) {
    struct task *task = (struct task *)slot;
    ((struct executor *)shared)->producers[source->index].next++;
    task->submitted++;
    return task;
}

static inline void flush_nothing(void *shared, struct source *source) {
    (void)shared;
    (void)source;
}

/* `times`: 1, but for a test. */
static inline __attribute__((always_inline)) void
run_task(struct executor *e, struct receipts *r, struct task *task, bool stamped, int times) {
    for (int i = 0; i < times; i++) {
        load_receive(&e->load, r, &r->tally, &task->event,
                     __atomic_load_n(&e->load.start_ns, __ATOMIC_RELAXED), stamped, true);
        task->result += task->event.number & ((INT64_C(1) << LOAD_PRODUCER_SHIFT) - 1);
        task->uses++;
    }
    __atomic_store_n(&task->done, task->done + 1, __ATOMIC_RELEASE);
}

static inline void publish_caller(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    run_task(e, &e->load.receipts[source->index], submitted(shared, source, slot), e->load.stamped,
             1);
}

static inline void publish_mutex(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    struct task *task = submitted(shared, source, slot);
    blocking_claim(&e->blocking, source)->number = (int64_t)(intptr_t)task;
    blocking_publish(&e->blocking);
}

static inline void publish_vyukov(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    struct task *task = submitted(shared, source, slot);
    struct event *place = vyukov_try_claim(&e->vyukov); /* it has room for all tasks there are */
    place->number = (int64_t)(intptr_t)task;
    vyukov_publish(place);
}

static long futex(uint32_t *word, int operation, uint32_t value) {
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* The fence is between "the task is there" and "who sleeps?", as the sleeper's is between "I sleep"
 * and "is a task there?": without both each may miss what the other has just said. */
static inline void publish_futex(void *shared, struct source *source, struct event *slot) {
    struct executor *e = shared;
    publish_vyukov(shared, source, slot);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&e->sleepers, __ATOMIC_RELAXED) > 0) {
        __atomic_add_fetch(&e->calls, 1, __ATOMIC_SEQ_CST);
        futex(&e->calls, FUTEX_WAKE_PRIVATE, 1);
        e->producers[source->index].wakes++;
    }
}

static inline bool stopping(const struct executor *e) {
    return __atomic_load_n(&e->stopping, __ATOMIC_ACQUIRE);
}

/* What take_...() gives: the next task; NULL when there is none and none will come. */
typedef struct task *take_task(struct executor *e, struct member *member);

static inline struct task *take_mutex(struct executor *e, struct member *member) {
    struct blocking *queue = &e->blocking;
    pthread_mutex_lock(&queue->mutex);
    while (queue->put == queue->taken) {
        if (stopping(e)) {
            pthread_mutex_unlock(&queue->mutex);
            return NULL;
        }
        member->polls++;
        pthread_cond_wait(&queue->not_empty, &queue->mutex);
    }
    struct task *task = (struct task *)(intptr_t)queue->slots[queue->taken & queue->mask].number;
    blocking_release(queue);
    return task;
}

static inline struct task *try_take(struct executor *e) {
    struct event *slot = vyukov_try_take(&e->vyukov);
    if (!slot) {
        return NULL;
    }
    struct task *task = (struct task *)(intptr_t)slot->number;
    vyukov_release(&e->vyukov, slot);
    return task;
}

static inline struct task *take_vyukov(struct executor *e, struct member *member) {
    struct task *task;
    while (!(task = try_take(e)) && !stopping(e)) {
        member->polls++;
        spin_wait(&member->spins, e->oversubscribed);
    }
    return task ? task : try_take(e);
}

/* Announces its sleep, looks once more, and sleeps unless it was called meanwhile. */
static struct task *sleep_until_called(struct executor *e) {
    const uint32_t calls = __atomic_load_n(&e->calls, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    struct task *task = try_take(e);
    if (!task && !stopping(e)) {
        futex(&e->calls, FUTEX_WAIT_PRIVATE, calls);
    }
    __atomic_sub_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    return task;
}

static inline __attribute__((always_inline)) struct task *
take_or_sleep(struct executor *e, struct member *member,
              struct task *(*fall_asleep)(struct executor *)) {
    struct task *task;
    int64_t left = e->spin;
    while (!(task = try_take(e)) && !stopping(e)) {
        member->polls++;
        if (left-- > 0) {
            spin_wait(&member->spins, e->oversubscribed);
        } else if ((task = fall_asleep(e))) {
            return task;
        } else {
            left = e->spin;
        }
    }
    return task ? task : try_take(e);
}

static inline struct task *take_futex(struct executor *e, struct member *member) {
    return take_or_sleep(e, member, sleep_until_called);
}

static inline __attribute__((always_inline)) void serve(struct executor *e, struct member *member,
                                                        take_task *take, bool stamped, int times) {
    struct receipts *r = member->receipts;
    struct task *task;
    while ((task = take(e, member))) {
        if (r->tally.handled > 0) { /* else it looked in vain before the iteration, too */
            r->tally.failed_polls += member->polls;
        }
        member->polls = 0;
        run_task(e, r, task, stamped, times);
    }
}

/* The producer's side of an iteration: it ends when all its tasks are done. */
static inline __attribute__((always_inline)) void produce(struct executor *e, struct worker *worker,
                                                          load_publish *publish, bool stamped) {
    struct source *source = &e->load.sources[worker->index];
    const struct producer *producer = &e->producers[worker->index];
    load_pace(&e->load, worker, source, e->most_ns, e, claim_task, publish, flush_nothing, false,
              stamped, true);
    struct patience patience = load_patient(&e->load, worker, e->most_ns);
    for (int64_t i = producer->next - 1 - producer->mask; i < producer->next; i++) {
        while (i >= 0 && !task_done(&producer->tasks[i & producer->mask])) {
            if (!load_wait(&patience)) {
                return;
            }
        }
    }
    source->end_ns = clock_ns();
}

/* Both loops of a way to submit, and of a way to take. */
#define PRODUCER(name)                                                                             \
    static void run_##name(struct worker *worker, void *shared) {                                  \
        struct executor *e = shared;                                                               \
        if (e->load.stamped) {                                                                     \
            produce(e, worker, publish_##name, true);                                              \
        } else {                                                                                   \
            produce(e, worker, publish_##name, false);                                             \
        }                                                                                          \
    }

#define SERVER(name, times)                                                                        \
    static void serve_##name(struct executor *e, struct member *member) {                          \
        if (e->load.stamped) {                                                                     \
            serve(e, member, take_##name, true, times);                                            \
        } else {                                                                                   \
            serve(e, member, take_##name, false, times);                                           \
        }                                                                                          \
    }
PRODUCER(caller)
PRODUCER(mutex)
PRODUCER(vyukov)
PRODUCER(futex)
SERVER(mutex, 1)
SERVER(vyukov, 1)
SERVER(futex, 1)

#ifdef LAB_BROKEN_LOAD
/* What the checks have to notice. */
enum { BROKEN_EVERY = 1000 };

static inline struct task *take_losing(struct executor *e, struct member *member) {
    struct task *task = take_vyukov(e, member);
    return task && task->event.number == BROKEN_EVERY ? take_vyukov(e, member) : task;
}

static inline struct task *take_forgetting(struct executor *e, struct member *member) {
    while (!stopping(e)) {
        struct task *task = try_take(e);
        if (task) {
            return task;
        }
        spin_wait(&member->spins, e->oversubscribed);
    }
    return NULL;
}

/* Looks for tasks, and only then announces its sleep: who submits between the two does not call.
 * That time is made long, for a test cannot wait for one in a million. */
static struct task *sleep_carelessly(struct executor *e) {
    const uint32_t calls = __atomic_load_n(&e->calls, __ATOMIC_ACQUIRE);
    usleep(100);
    __atomic_add_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    if (!stopping(e)) {
        futex(&e->calls, FUTEX_WAIT_PRIVATE, calls);
    }
    __atomic_sub_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static inline struct task *take_careless(struct executor *e, struct member *member) {
    return take_or_sleep(e, member, sleep_carelessly);
}

#define take_twice take_vyukov
SERVER(losing, 1)
SERVER(twice, 2)
SERVER(forgetting, 1)
SERVER(careless, 1)
#endif

/* A way to run tasks. */
struct pool_kind {
    void (*run)(struct worker *, void *); /* of a producer */
    load_publish *publish;
    void (*serve)(struct executor *, struct member *); /* of its threads; NULL: it has none */
};

static const struct variant variants[] = {
    {"caller", NULL, &(const struct pool_kind){run_caller, publish_caller, NULL}},
    {"pool_mutex", NULL, &(const struct pool_kind){run_mutex, publish_mutex, serve_mutex}},
    {"pool_vyukov", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_vyukov}},
    {"pool_futex", NULL, &(const struct pool_kind){run_futex, publish_futex, serve_futex}},
#ifdef LAB_BROKEN_LOAD
    {"losing", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_losing}},
    {"twice", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_twice}},
    {"forgetting", NULL, &(const struct pool_kind){run_vyukov, publish_vyukov, serve_forgetting}},
    {"careless", NULL, &(const struct pool_kind){run_futex, publish_futex, serve_careless}},
#endif
    {0},
};

static const struct parameter parameters[] = {
    {.name = "producers", .type = PARAMETER_INT, .min = 1, .max = LOAD_MOST_PRODUCERS, .number = 1},
    {.name = "workers", .type = PARAMETER_INT, .min = 1, .max = 64, .number = 1},
    {.name = "window",
     .type = PARAMETER_INT,
     .min = 1,
     .max = EXECUTOR_SLOTS / LOAD_MOST_PRODUCERS,
     .number = 4096,
     .power_of_two = true},
    {.name = "spin", .type = PARAMETER_INT, .min = 0, .max = 1000000, .number = 1000},
    LOAD_PARAMETERS,
    {0},
};

static void *member_main(void *argument) {
    struct member *member = argument;
    struct executor *e = member->executor;
    member->pin_error =
        pin_thread(member->cpu, member->observed, MEMBER_OBSERVED, &member->observed_count);
    member->id = (int)syscall(SYS_gettid);
    __atomic_add_fetch(&e->ready, 1, __ATOMIC_RELEASE);
    e->kind->serve(e, member);
    __atomic_store_n(&member->ended, true, __ATOMIC_RELEASE);
    return NULL;
}

static int start_members(struct executor *e, const struct trial *trial, struct recorder *recorder) {
    int error = 0;
    for (int i = 0; i < e->workers && !error; i++) {
        struct member *member = &e->members[i];
        member->executor = e;
        member->receipts = &e->load.receipts[i];
        member->cpu = trial_cpu(trial, trial->threads + i);
        error = pthread_create(&member->thread, NULL, member_main, member);
        e->started += !error;
    }
    while (__atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) < e->started) {
        sched_yield();
    }
    for (int i = 0; i < e->started; i++) {
        const struct member *member = &e->members[i];
        recorder_pinning(recorder, trial->threads + i, member->cpu, member->observed,
                         member->observed_count);
        if (member->pin_error) {
            return fail(STATUS_BAD_ARGUMENT, "--cpus: pool thread %d cannot run on CPU %d: %s", i,
                        member->cpu, strerror(member->pin_error));
        }
    }
    return error ? fail(STATUS_NO_RESOURCES, "--workers: thread %d of %d cannot be started: %s",
                        e->started + 1, e->workers, strerror(error))
                 : 0;
}

static void read_switches(const struct member *member, int64_t *voluntary, int64_t *involuntary) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", member->id);
    FILE *file = fopen(path, "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        long long count;
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &count) == 1) {
            *voluntary += count;
        } else if (sscanf(line, "nonvoluntary_ctxt_switches: %lld", &count) == 1) {
            *involuntary += count;
        }
    }
    if (file) {
        fclose(file);
    }
}

static void switches(void *shared, int64_t *voluntary, int64_t *involuntary) {
    const struct executor *e = shared;
    for (int i = 0; i < e->started; i++) {
        read_switches(&e->members[i], voluntary, involuntary);
    }
}

/* All consumers end when the last producer has seen its last task done. */
static void measure(void *shared, const struct worker *workers, int iteration,
                    struct recorder *recorder) {
    struct executor *e = shared;
    int64_t end = 0;
    int64_t wakes = 0;
    for (int p = 0; p < e->load.producers; p++) {
        end = e->load.sources[p].end_ns > end ? e->load.sources[p].end_ns : end;
        wakes += e->producers[p].wakes;
        e->producers[p].wakes = 0;
    }
    for (int c = 0; c < e->load.consumers; c++) {
        e->load.receipts[c].tally.end_ns = end;
    }
    load_measure(shared, workers, iteration, recorder);
    recorder_measure(recorder, iteration, "", "wakes", (double)wakes);
}

/* Submits a few last tasks and ends the pool at once: it has to run them and let its threads go. */
static void shut_down(struct executor *e) {
    struct source *source = &e->load.sources[0];
    struct patience patience = {.load = &e->load, .until_ns = clock_ns() + WORKERS_GRACE_NS};
    struct event *slot;
    for (int i = 0; i < EXECUTOR_LAST && i <= e->producers[0].mask; i++) {
        if (!(slot = claim_task(e, source, &patience))) {
            break;
        }
        slot->number = i;
        slot->due = slot->sent = 0;
        e->load.numbers_due += i;
        e->kind->publish(e, source, slot);
    }
    pthread_mutex_lock(&e->blocking.mutex);
    __atomic_store_n(&e->stopping, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&e->blocking.not_empty);
    pthread_mutex_unlock(&e->blocking.mutex);
    __atomic_add_fetch(&e->calls, 1, __ATOMIC_SEQ_CST);
    futex(&e->calls, FUTEX_WAKE_PRIVATE, INT32_MAX);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1 + WORKERS_GRACE_NS / 1000000000;
    for (int i = 0; i < e->started; i++) {
        if (pthread_timedjoin_np(e->members[i].thread, NULL, &until)) {
            die(STATUS_CHECK_FAILED, "thread %d of the pool did not end after its shutdown", i);
        }
    }
}

static void check(const struct executor *e, struct recorder *recorder) {
    int64_t wrong = 0;
    int64_t results = 0;
    for (int p = 0; p < e->load.producers; p++) {
        for (int64_t i = 0; i <= e->producers[p].mask; i++) {
            const struct task *task = &e->producers[p].tasks[i];
            wrong += task->uses != task->submitted;
            results += task->result;
        }
    }
    recorder_check_equal(recorder, "tasks not run once per submission", 0, wrong);
    recorder_check_equal(recorder, "sum of the tasks' results", e->load.numbers_due, results);
    recorder_check_equal(recorder, "tasks left in the queue", 0,
                         blocking_left(&e->blocking) + vyukov_left(&e->vyukov));
    int ended = 0;
    for (int i = 0; i < e->workers; i++) {
        ended += e->members[i].ended;
    }
    recorder_check_equal(recorder, "threads of the pool ended by its shutdown", e->started, ended);
}

static int measure_pool(const struct trial *trial, struct recorder *recorder, struct executor *e) {
    const int64_t queued = trial->threads * (e->producers[0].mask + 1);
    const int64_t patience_ns = load_patience(&e->load, queued);
    e->most_ns = patience_ns;
    const struct workload workload = {.shared = e,
                                      .phases = e->load.phases,
                                      .prepare = load_prepare,
                                      .run = e->kind->run,
                                      .measure = measure,
                                      .beside = e->workers,
                                      .switches = switches,
                                      .patience_ns = 2 * patience_ns};
    int status = start_members(e, trial, recorder);
    status = status ? status : workers_run(trial, recorder, &workload, NULL);
    status = status ? status : load_finish(&e->load, recorder, false);
    shut_down(e);
    check(e, recorder);
    return status;
}

static void init(struct executor *e, const struct trial *trial) {
    const int64_t window = trial_int(trial, "window");
    e->spin = trial_int(trial, "spin");
    e->oversubscribed = trial->threads + e->workers > pin_distinct(trial->cpus, trial->cpu_count);
    e->producers = allocate((size_t)trial->threads, sizeof *e->producers);
    e->members = allocate((size_t)e->workers, sizeof *e->members);
    for (int p = 0; p < trial->threads; p++) {
        e->producers[p].tasks = allocate((size_t)window, sizeof(struct task));
        e->producers[p].mask = window - 1;
    }
    blocking_init(&e->blocking, EXECUTOR_SLOTS);
    vyukov_init(&e->vyukov, EXECUTOR_SLOTS);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    struct executor *e = allocate(1, sizeof *e);
    e->kind = trial->variant->implementation;
    e->workers = e->kind->serve ? (int)trial_int(trial, "workers") : 0;
    const int consumers = e->workers ? e->workers : trial->threads;
    int status = load_open(&e->load, trial, trial->threads, consumers, e->workers < 2);
    if (status == 0) {
        init(e, trial);
        status = measure_pool(trial, recorder, e);
        for (int p = 0; p < trial->threads; p++) {
            free(e->producers[p].tasks);
        }
        free(e->producers);
        free(e->members);
        free(e->blocking.slots);
        free(e->vyukov.slots);
    }
    load_close(&e->load);
    free(e);
    return status;
}

const struct experiment experiment_executor = {.name = "executor",
                                               .variants = variants,
                                               .parameters = parameters,
                                               .run = run,
                                               .threads_by = "producers"};
