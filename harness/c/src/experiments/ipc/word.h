#ifndef LAB_IPC_WORD_H
#define LAB_IPC_WORD_H

#include "patterns.h"

/*
 * The bare word: no message, two words of the meeting page, each on a line of its own. What the
 * hardware charges any two processes, and the floor under every link that spins. Ping passes the
 * numbers 1, 2, 3, ... and pong passes on what it got; a negative one is the last of an iteration.
 */

static inline void word_pass(struct end *end, int64_t value) {
    meeting_set_release(end->meeting, WORD_PASSED + (int)end->role, value);
}

/* Waits until the other's word is another than it was, and looks whether it is `number`. */
static inline __attribute__((always_inline)) void
word_await(struct end *end, const struct worker *worker, int64_t number) {
    const int other = WORD_PASSED + 1 - (int)end->role;
    int left = end_patience(end);
    int64_t value;
    while ((value = meeting_get_acquire(end->meeting, other)) == end->seen) {
        end_wait(end, worker, &left);
    }
    end->seen = value;
    end->lost += (value < 0 ? -value : value) != number;
}

PATTERN word_round_trips(struct end *end, struct worker *worker, int64_t count, bool last) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = ++end->passed;
        word_pass(end, last ? -number : number);
        word_await(end, worker, number);
    }
}

PATTERN word_ask(struct end *end, struct worker *worker, int64_t sample_every) {
    int64_t after;
    do {
        word_round_trips(end, worker, sample_every - 1, false);
        const int64_t before = clock_ns();
        word_round_trips(end, worker, 1, false);
        after = clock_ns();
        end_sample(worker, after - before);
    } while (after < worker->deadline_ns && worker->sample_count < worker->sample_capacity);
    word_round_trips(end, worker, 1, true);
}

PATTERN word_answer(struct end *end, struct worker *worker) {
    do {
        word_await(end, worker, ++end->passed);
        word_pass(end, end->seen);
    } while (end->seen > 0);
}

/* Every trial of two processes begins with this, the same for all variants. */
PATTERN word_run(struct end *end, struct worker *worker, int64_t sample_every) {
    if (end->role == PING) {
        word_ask(end, worker, sample_every);
    } else {
        word_answer(end, worker);
    }
}

#endif
