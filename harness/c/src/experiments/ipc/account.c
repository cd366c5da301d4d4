/* What an end tells of its iterations and of the trial. */
#include "ipc.h"

/* The worker's iteration as a row; `samples`: with its samples, which are this series'. */
static void row(const struct worker *worker, int iteration, const char *phase, const char *series, bool samples,
                struct recorder *recorder) {
    recorder_row(recorder, iteration, phase, series, worker->start_ns, worker->end_ns - worker->start_ns,
                 worker->operations, worker->samples, samples ? worker->sample_count : 0);
}

static void rows(const struct end *end, const struct worker *worker, int iteration, const char *phase,
                 struct recorder *recorder) {
    const bool ping = end->role == PING;
    if (end->of == WORDS) {
        row(worker, iteration, phase, ping ? "floor.ping" : "floor.pong", true, recorder);
    } else if (end->of == WAKES) {
        row(worker, iteration, phase, ping ? "wake.ping" : "wake.pong", true, recorder);
    } else if (end->pattern == ROUND_TRIP) {
        row(worker, iteration, phase, ping ? "hop.ping" : "hop.pong", false, recorder);
        if (ping) {
            row(worker, iteration, phase, "rtt", true, recorder);
        }
    } else if (end->meeting->parts == 1) {
        row(worker, iteration, phase, "stream.in", false, recorder);
    } else if (!ping) {
        row(worker, iteration, phase, "stream.in", false, recorder);
        row(worker, iteration, phase, "transit", true, recorder);
    } else {
        row(worker, iteration, phase, "stream.out", false, recorder);
        if (end->pattern == PACED) {
            row(worker, iteration, phase, "sent_late", true, recorder);
        }
    }
}

static void measures(const struct end *end, int iteration, struct recorder *recorder) {
    const struct used *used = &end->used;
    recorder_measure(recorder, iteration, "", "minor_faults", (double)used->page_faults);
    /* Of who receives: who sends on a schedule spins until then. */
    if (end->pattern == ROUND_TRIP || end->role == PONG || end->meeting->parts == 1) {
        recorder_measure(recorder, iteration, "", "cpu_ns", (double)used->cpu_ns);
        recorder_measure(recorder, iteration, "", "slept", (double)used->slept);
    }
    if (end->pattern == ROUND_TRIP || end->meeting->parts == 1) {
        return;
    }
    if (end->role == PING) {
        recorder_measure(recorder, iteration, "", "full", (double)end->full);
        if (end->pattern == PACED) {
            recorder_measure(recorder, iteration, "", "sending_ns", (double)end->sending_ns);
        }
        return;
    }
    recorder_measure(recorder, iteration, "", "empty", (double)end->empty);
    if (end->in.header && end->in_ring.over_ns > 0) {
        recorder_measure(recorder, iteration, "", "in_ring_sum", end->in_ring.sum);
        recorder_measure(recorder, iteration, "", "in_ring_ns", (double)end->in_ring.over_ns);
    }
}

/* Whether a side's position is what the other has stored, which may be a moment behind. */
static bool settles(const int64_t *word, int64_t position) {
    enum { LONGEST_NS = 1000000000 };
    const int64_t since = clock_ns();
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != position) {
        if (clock_ns() - since > LONGEST_NS) {
            return false;
        }
        sched_yield();
    }
    return true;
}

static bool empty(const struct end *end) {
    return (!end->out.header || settles(&end->out.header->head, end->out.position)) &&
           (!end->in.header || settles(&end->in.header->tail, end->in.position));
}

void end_account_iteration(struct end *end, const struct worker *worker, int iteration, const char *phase,
                           struct recorder *recorder) {
    rows(end, worker, iteration, phase, recorder);
    if (end->of == MESSAGES) {
        measures(end, iteration, recorder);
        end->not_empty += !empty(end);
    }
}

static void check_received(const struct end *end, struct recorder *recorder) {
    const struct traffic *received = &end->received;
    recorder_check_equal(recorder, "messages received equal messages sent", received->sequence, received->messages);
    recorder_check_equal(recorder, "messages lost, repeated or out of order", 0, received->faults);
    recorder_check_equal(recorder, "iterations in which other words were read than written", 0, received->wrong);
    if (end->pattern != ROUND_TRIP) {
        recorder_check_equal(recorder, "messages that arrived before they were sent", 0, end->early);
    }
}

void end_account_trial(const struct end *end, struct recorder *recorder) {
    if (end->meeting->parts > 1) {
        recorder_check_equal(recorder, "bare words lost, repeated or out of order", 0, end->word.lost);
        recorder_check_equal(recorder, "bare wake-ups lost, repeated or out of order", 0, end->wake.lost);
    }
    if (end->received.messages > 0) {
        check_received(end, recorder);
    }
    if (end->pattern == ROUND_TRIP) {
        recorder_check_equal(recorder, "answers equal questions", end->sent.messages, end->received.messages);
    }
    if (end->out.header) {
        recorder_check_equal(recorder, "iterations after which a ring was not empty", 0, end->not_empty);
    }
}
