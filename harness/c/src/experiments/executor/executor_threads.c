/*
 * The threads of the pool: started and pinned before the workers of the trial, watched while these measure, ended after
 * them.
 */
#include "executor_pools.h"
#include "pin.h"

static void *member_main(void *argument) {
    struct member *member = argument;
    struct executor *e = member->executor;
    member->pin_error = pin_thread(member->cpu, member->observed, MEMBER_OBSERVED, &member->observed_count);
    member->id = (int)syscall(SYS_gettid);
    __atomic_add_fetch(&e->ready, 1, __ATOMIC_RELEASE);
    e->kind->serve(e, member);
    return NULL;
}

int executor_start_threads(struct executor *e, const struct trial *trial, struct recorder *recorder) {
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
        recorder_pinning(recorder, trial->threads + i, member->cpu, member->observed, member->observed_count);
        if (member->pin_error) {
            return fail(STATUS_BAD_ARGUMENT, "--cpus: pool thread %d cannot run on CPU %d: %s", i, member->cpu,
                        strerror(member->pin_error));
        }
    }
    return error ? fail(STATUS_NO_RESOURCES, "--workers: thread %d of %d cannot be started: %s", e->started + 1,
                        e->workers, strerror(error))
                 : 0;
}

static void read_switches(const struct member *member, int64_t *voluntary, int64_t *involuntary) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", member->id);
    FILE *file = fopen(path, "r");
    if (!file) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file)) {
        long long count;
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &count) == 1) {
            *voluntary += count;
        } else if (sscanf(line, "nonvoluntary_ctxt_switches: %lld", &count) == 1) {
            *involuntary += count;
        }
    }
    fclose(file);
}

void executor_switches(void *shared, int64_t *voluntary, int64_t *involuntary) {
    const struct executor *e = shared;
    for (int i = 0; i < e->started; i++) {
        read_switches(&e->members[i], voluntary, involuntary);
    }
}

void executor_end_threads(struct executor *e) {
    stop_pool(e);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until); /* the clock of pthread_timedjoin_np() */
    until.tv_sec += 1 + WORKERS_GRACE_NS / 1000000000;
    for (int i = 0; i < e->started; i++) {
        e->ended += pthread_timedjoin_np(e->members[i].thread, NULL, &until) == 0;
    }
}
