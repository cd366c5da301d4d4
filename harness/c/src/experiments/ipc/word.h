#pragma once

#include "patterns.h"

/*
 * What the host charges any two processes, without messages: two words of the meeting page, each on a line of its own.
 * Ping passes the numbers 1, 2, 3, ... and pong passes on what it got; a negative one is the last of an iteration.
 *
 * The bare word, for which both ends spin, is the floor under every link that spins; the bare wake-up, for which
 * whoever waits sleeps on a futex and whoever passes wakes it, that under every link that sleeps.
 */

/* One of both: its state, its words, and whether it sleeps. */
struct floor {
    struct passing *passing;
    int word;
    bool sleeps;
};

#define WORD_FLOOR(end) ((struct floor){&(end)->word, WORD_PASSED, false})
#define WAKE_FLOOR(end) ((struct floor){&(end)->wake, WORD_WAKE, true})

TEMPLATE void floor_pass(const struct end *end, struct floor floor, int64_t value) {
    const int own = floor.word + (int)end->role;
    meeting_set_release(end->meeting, own, value);
    if (floor.sleeps) {
        meeting_wake(end->meeting, own);
    }
}

/* Waits until the other's word is another than it was, and looks whether it is `number`. */
TEMPLATE void floor_await(const struct end *end, const struct worker *worker, struct floor floor, int64_t number) {
    const int other = floor.word + 1 - (int)end->role;
    struct passing *passing = floor.passing;
    int left = floor.sleeps ? 1 : end_patience(end);
    int64_t value;
    while ((value = meeting_get_acquire(end->meeting, other)) == passing->seen) {
        if (!floor.sleeps) {
            end_wait(end, worker, &left);
        } else if (meeting_sleep(end->meeting, other, value, LONGEST_SLEEP_NS) != 0) {
            meeting_end_if_hopeless(worker->deadline_ns);
        }
    }
    passing->seen = value;
    passing->lost += (value < 0 ? -value : value) != number;
}

TEMPLATE void floor_round_trips(struct end *end, struct worker *worker, struct floor floor, int64_t count, bool last) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = ++floor.passing->passed;
        floor_pass(end, floor, last ? -number : number);
        floor_await(end, worker, floor, number);
    }
}

TEMPLATE void floor_ask(struct end *end, struct worker *worker, struct floor floor, int64_t sample_every) {
    int64_t after;
    do {
        floor_round_trips(end, worker, floor, sample_every - 1, false);
        const int64_t before = clock_ns();
        floor_round_trips(end, worker, floor, 1, false);
        after = clock_ns();
        end_sample(worker, after - before);
    } while (after < worker->deadline_ns && worker->sample_count < worker->sample_capacity);
    floor_round_trips(end, worker, floor, 1, true);
}

TEMPLATE void floor_answer(struct end *end, struct worker *worker, struct floor floor) {
    do {
        floor_await(end, worker, floor, ++floor.passing->passed);
        floor_pass(end, floor, floor.passing->seen);
    } while (floor.passing->seen > 0);
}

/* Every trial of two processes has both, the same for all variants. */
TEMPLATE void floor_run(struct end *end, struct worker *worker, struct floor floor, int64_t sample_every) {
    if (end->role == PING) {
        floor_ask(end, worker, floor, sample_every);
    } else {
        floor_answer(end, worker, floor);
    }
}

TEMPLATE void word_run(struct end *end, struct worker *worker, int64_t sample_every) {
    floor_run(end, worker, WORD_FLOOR(end), sample_every);
}

TEMPLATE void wake_run(struct end *end, struct worker *worker, int64_t sample_every) {
    floor_run(end, worker, WAKE_FLOOR(end), sample_every);
}
