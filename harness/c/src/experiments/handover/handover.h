#pragma once

#include "experiment.h"

/*
 * Two workers hand the right to go on to each other, numbered from 1: worker 0 (ping) passes number n, worker 1 (pong)
 * waits for it and passes n back. One operation is one hand-over, so that the operations of both over the time give the
 * cost of one way. Every `sample-every`-th round trip is timed, clock to clock, and is a sample of worker 0.
 *
 * handover_run() is the loop of both sides, for any way of handing over. `pass` and `await` are constants wherever it
 * is called, so that every variant becomes loops of its own. handover_spin() is the wait of those that spin on a word.
 *
 * A wait that spins gives up WORKERS_GRACE_NS past the end of its iteration: the hand-over is lost, which fails the
 * check instead of hanging. A wait that sleeps is ended by the patience of the workload, handover_patience().
 */

enum { PING, PONG };

struct handover {
    /* What is handed over, by whoever writes it: each word on a line of its own. */
    struct {
        _Alignas(LAB_LINE) int64_t value;
    } word[2];
    /* By the side that owns them, once per iteration; faults only when there is one. */
    struct {
        _Alignas(LAB_LINE) int64_t number; /* of its last hand-over */
        int64_t faults;
    } side[2];
    /* The number of an iteration's last round trip, written before it is passed and read once per chunk, after
     * answering: by then ping may have begun another round trip, so that a flag would come one too early. */
    _Alignas(LAB_LINE) int64_t last;
    bool abandoned;
    int64_t sample_every;
};

/* Whether a wait must end with nothing: asked now and then by a wait that lasts. */
static inline bool handover_hopeless(struct handover *h, const struct worker *worker) {
    if (clock_ns() - worker->deadline_ns > WORKERS_GRACE_NS) {
        __atomic_store_n(&h->abandoned, true, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&h->abandoned, __ATOMIC_RELAXED);
}

/*
 * Waits until `*word` is no longer `previous`; its value, or `previous` when it gave up. `hint`: a pause in every turn.
 *
 * A spinning thread whose partner is not running would wait for the rest of its time slice. So it yields: after a few
 * turns where both share a CPU, and after a wait far longer than a hand-over where they need not, for an unpinned pair
 * may be put on one CPU all the same, and a guest's CPU may be taken away.
 */
TEMPLATE int64_t handover_spin(struct handover *h, const struct worker *worker, const int64_t *word, int64_t previous,
                               bool hint) {
    const int patience = worker->oversubscribed ? 64 : 1 << 15;
    int left = patience;
    int64_t seen;
    while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == previous) {
        if (hint) {
            cpu_relax();
        }
        if (--left == 0) {
            sched_yield();
            if (handover_hopeless(h, worker)) {
                break;
            }
            left = patience;
        }
    }
    return seen;
}

/* Hands number `number` over to the other side. */
typedef void handover_pass(struct handover *h, int side, int64_t number);

/* Waits until `side` has passed another number than `previous`; that number, or `previous` when it gave up. */
typedef int64_t handover_await(struct handover *h, const struct worker *worker, int side, int64_t previous);

TEMPLATE int64_t handover_round_trips(struct handover *h, const struct worker *worker, int64_t number, int64_t count,
                                      handover_pass *pass, handover_await *await) {
    for (int64_t i = 0; i < count; i++) {
        pass(h, PING, number + 1);
        int64_t seen = await(h, worker, PONG, number);
        number++;
        if (__builtin_expect(seen != number, 0)) {
            h->side[PING].faults++;
        }
    }
    return number;
}

TEMPLATE int64_t handover_replies(struct handover *h, const struct worker *worker, int64_t number, int64_t count,
                                  handover_pass *pass, handover_await *await) {
    for (int64_t i = 0; i < count; i++) {
        int64_t seen = await(h, worker, PING, number);
        number++;
        if (__builtin_expect(seen != number, 0)) {
            h->side[PONG].faults++;
        }
        pass(h, PONG, number);
    }
    return number;
}

static inline bool handover_abandoned(const struct handover *h) {
    return __atomic_load_n(&h->abandoned, __ATOMIC_RELAXED);
}

/* The kernel of a workload. */
TEMPLATE void handover_run(struct worker *worker, struct handover *h, handover_pass *pass, handover_await *await) {
    const int side = worker->index;
    const int64_t untimed = h->sample_every - 1;
    int64_t number = h->side[side].number;
    if (side == PING) {
        int64_t after;
        size_t sampled = 0;
        do {
            number = handover_round_trips(h, worker, number, untimed, pass, await);
            int64_t before = clock_ns();
            number = handover_round_trips(h, worker, number, 1, pass, await);
            after = clock_ns();
            worker->samples[sampled++] = after - before;
        } while (after < worker->deadline_ns && sampled < worker->sample_capacity && !handover_abandoned(h));
        worker->sample_count = sampled;
        h->last = number + 1;
        number = handover_round_trips(h, worker, number, 1, pass, await);
    } else {
        do {
            /* The first of a chunk alone: what ping wrote before passing it is visible now. */
            number = handover_replies(h, worker, number, 1, pass, await);
            if (number == h->last) {
                break;
            }
            number = handover_replies(h, worker, number, untimed, pass, await);
        } while (!handover_abandoned(h));
    }
    worker->operations = number - h->side[side].number;
    h->side[side].number = number;
}

/* For a workload whose waits sleep: past its deadline an iteration lasts one chunk and the round trip that says it was
 * the last. */
static inline int64_t handover_patience(const struct handover *h, const struct trial *trial) {
    return trial->iteration_ns + 2 * (h->sample_every + 1) * WORKERS_WAKE_NS + WORKERS_GRACE_NS;
}

/* The checks of any way of handing over; `operations` is what workers_run() summed up. */
static inline void handover_check(const struct handover *h, struct recorder *recorder, int64_t operations) {
    recorder_check_equal(recorder, "pong hands over as often as ping", h->side[PING].number, h->side[PONG].number);
    recorder_check_equal(recorder, "operations equal hand-overs", h->side[PING].number + h->side[PONG].number,
                         operations);
    recorder_check_equal(recorder, "hand-overs lost, repeated or out of order", 0,
                         h->side[PING].faults + h->side[PONG].faults);
}
