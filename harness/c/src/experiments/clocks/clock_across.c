/*
 * The clock of two CPUs against each other. Thread 0 reads it (t1) and passes the reading to thread 1, which reads it
 * (t2) and answers, and thread 0 reads it again (t3): each reading has seen the one before, so none may lie before it,
 * which is the check. If thread 1's clock is ahead by d, its reading t2 - d was made between t1 and t3: t2 - t3 <= d <=
 * t2 - t1. Every round trip bounds d; an iteration's are taken together. A sample is a round trip, t3 - t1.
 */
#include "clocks.h"
#include "pin.h"

/* A reading on its way to the other thread, on a line of its own. */
struct message {
    _Alignas(LAB_LINE) int64_t number; /* of the round trip, from 1; written last */
    int64_t reading;
    bool last; /* no answer: the iteration is over */
};

struct shared {
    struct message ping, pong;
    int64_t behind; /* nanoseconds that thread 1's clock is made wrong by */
    /* By the thread that owns them. */
    _Alignas(LAB_LINE) int64_t sent, low, high, backward, trips;
    _Alignas(LAB_LINE) int64_t answers;
};

static void pass(struct message *to, int64_t number, int64_t reading, bool last) {
    to->reading = reading;
    to->last = last;
    __atomic_store_n(&to->number, number, __ATOMIC_RELEASE);
}

static void await(const struct message *from, int64_t number, bool oversubscribed) {
    unsigned spins = 0;
    while (__atomic_load_n(&from->number, __ATOMIC_ACQUIRE) != number) {
        spin_wait(&spins, oversubscribed);
    }
}

static void ask(struct worker *worker, struct shared *s) {
    size_t sampled = 0;
    s->low = INT64_MIN;
    s->high = INT64_MAX;
    int64_t t3;
    do {
        int64_t t1 = clock_ns();
        pass(&s->ping, ++s->sent, t1, false);
        await(&s->pong, s->sent, worker->oversubscribed);
        t3 = clock_ns();
        int64_t t2 = s->pong.reading;
        s->low = t2 - t3 > s->low ? t2 - t3 : s->low;
        s->high = t2 - t1 < s->high ? t2 - t1 : s->high;
        s->backward += t2 < t1 || t3 < t2;
        worker->samples[sampled++] = t3 - t1;
    } while (t3 < worker->deadline_ns && sampled < worker->sample_capacity);
    pass(&s->ping, ++s->sent, 0, true);
    s->trips += (int64_t)sampled;
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * 3;
}

static void answer(const struct worker *worker, struct shared *s) {
    for (int64_t number = s->pong.number;;) {
        await(&s->ping, ++number, worker->oversubscribed);
        if (s->ping.last) {
            s->pong.number = number;
            return;
        }
        s->answers++;
        pass(&s->pong, number, clock_ns() - s->behind, false);
    }
}

static void run_across(struct worker *worker, void *shared) {
    if (worker->index == 0) {
        ask(worker, shared);
    } else {
        answer(worker, shared);
    }
}

static void measure(void *shared, UNUSED const struct worker *workers, int iteration, struct recorder *recorder) {
    const struct shared *s = shared;
    recorder_measure(recorder, iteration, "", "cpu_offset", (double)(s->low + s->high) / 2);
    recorder_measure(recorder, iteration, "", "cpu_offset_bound", (double)(s->high - s->low) / 2);
}

int clock_across(const struct trial *trial, struct recorder *recorder) {
    if (trial->threads != 2) {
        return trial_refuse(trial, "threads", " by %s: give 2", trial->variant->name);
    }
    if (pin_distinct(trial->cpus, trial->cpu_count) < 2) {
        return fail(STATUS_UNSUPPORTED, "%s compares two CPUs; there is one", trial->variant->name);
    }
    struct shared *s = allocate(1, sizeof *s);
#ifdef LAB_BROKEN_CLOCK
    s->behind = INT64_C(60000000000); /* more than a round trip takes on the busiest host */
#endif
    const struct workload workload = {.shared = s, .series = "round_trips", .run = run_across, .measure = measure};
    int status = workers_run(trial, recorder, &workload, NULL);
    recorder_check_equal(recorder, "readings before the one they have seen", 0, s->backward);
    recorder_check_equal(recorder, "answers equal round trips", s->trips, s->answers);
    free(s);
    return status;
}
