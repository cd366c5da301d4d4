#pragma once

#include "end.h"

/*
 * What the ends do in an iteration, over any link. Ping decides when it is over, and its last message says so; it
 * carries the sum of what was sent, which the other end compares with its own.
 */

TEMPLATE void end_sample(struct worker *worker, int64_t value) {
    if (worker->sample_count == worker->sample_capacity) {
        die(STATUS_CHECK_FAILED, "more samples in an iteration than there is room for: %zu", worker->sample_capacity);
    }
    worker->samples[worker->sample_count++] = value;
}

/* Messages to and fro: every `sample_every`-th of them is timed, clock to clock. */
TEMPLATE void ask(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish, link_take *take,
                  link_release *release) {
    int64_t after;
    do {
        for (int64_t i = 1; i < end->sample_every; i++) {
            end_send(end, worker, KIND_MESSAGE, 0, claim, publish);
            end_receive(end, worker, take, release);
        }
        const int64_t before = clock_ns();
        end_send(end, worker, KIND_MESSAGE, 0, claim, publish);
        end_receive(end, worker, take, release);
        after = clock_ns();
        end_sample(worker, after - before);
    } while (after < worker->deadline_ns && worker->sample_count < worker->sample_capacity);
    end_send(end, worker, KIND_LAST, 0, claim, publish);
    end_receive(end, worker, take, release);
}

TEMPLATE void answer(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish, link_take *take,
                     link_release *release) {
    while (end_receive(end, worker, take, release).kind != KIND_LAST) {
        end_send(end, worker, KIND_MESSAGE, 0, claim, publish);
    }
    end_send(end, worker, KIND_LAST, 0, claim, publish);
}

/* As fast as the other end takes them. Every `sample_every`-th message carries the clock as read before it was offered,
 * which also looks at the deadline. */
TEMPLATE void pour(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish) {
    const bool stamped = end->size > MESSAGE_SMALLEST;
    size_t chunks = 0;
    int64_t now = clock_ns();
    do {
        end_send(end, worker, KIND_MESSAGE, stamped ? now : 0, claim, publish);
        for (int64_t i = 1; i < end->sample_every; i++) {
            end_send(end, worker, KIND_MESSAGE, 0, claim, publish);
        }
        chunks++;
        now = clock_ns();
    } while (now < worker->deadline_ns && chunks < worker->sample_capacity);
    end_send(end, worker, KIND_LAST, 0, claim, publish);
}

/*
 * At a rate: message i is due at i / rate after the start, absolute, and carries that time, however late it is sent.
 * None is left out, so that a stall delays what was due meanwhile. Samples are how late it was sent: what the sender
 * adds; and how long sending takes is counted. There is no pause in the wait: reading the clock is one.
 */
TEMPLATE void pace(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish) {
    enum { LEAD_NS = 50000 };
    const int64_t start = worker->start_ns + LEAD_NS;
    int64_t due = start;
    int64_t now = clock_ns();
    for (int64_t i = 1; due < worker->deadline_ns; i++) {
        while (now < due) {
            if (end->shares_cpu) {
                sched_yield();
            }
            now = clock_ns();
        }
        const int64_t before = now;
        end_sample(worker, before - due);
        end_send(end, worker, KIND_MESSAGE, due, claim, publish);
        now = clock_ns();
        end->sending_ns += now - before;
        due = start + i * 1000000000 / end->rate;
    }
    end_send(end, worker, KIND_LAST, 0, claim, publish);
}

/* Of a message that was sent and taken then, so many are behind. */
TEMPLATE void end_behind(struct in_ring *in_ring, int64_t behind, int64_t sent, int64_t taken) {
    const int64_t since = in_ring->over_ns > 0 ? in_ring->since_ns : sent;
    in_ring->sum += (double)(in_ring->behind + behind) / 2 * (double)(taken - since);
    in_ring->over_ns += taken - since;
    in_ring->behind = behind;
    in_ring->since_ns = taken;
}

/* Samples are the times of the messages that carry one: both ends have the same clock. */
TEMPLATE void drain(struct end *end, struct worker *worker, link_take *take, link_release *release,
                    link_behind *behind) {
    for (;;) {
        const struct message message = end_receive(end, worker, take, release);
        if (message.kind == KIND_LAST) {
            break;
        }
        if (message.time != 0) {
            const int64_t now = clock_ns();
            const int64_t transit = now - message.time;
            if (transit < 0) {
                end->early++;
            } else {
                end_sample(worker, transit);
                end_behind(&end->in_ring, behind(end), message.time, now);
            }
        }
    }
}

/* One thread is both ends, and no line ever travels: so many messages offered, then taken. */
TEMPLATE void offer_and_take(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish,
                             link_take *take, link_release *release) {
    enum { AT_ONCE = 64 };
    const int64_t room = end->out.capacity / 2 / ring_record(end->size);
    const int64_t batch = room < AT_ONCE ? room : AT_ONCE;
    do {
        for (int64_t i = 0; i < batch; i++) {
            end_send(end, worker, KIND_MESSAGE, 0, claim, publish);
        }
        for (int64_t i = 0; i < batch; i++) {
            end_receive(end, worker, take, release);
        }
    } while (clock_ns() < worker->deadline_ns);
    end_send(end, worker, KIND_LAST, 0, claim, publish);
    end_receive(end, worker, take, release);
}

/* An iteration of any pattern, by either end. */
TEMPLATE void run_pattern(struct end *end, struct worker *worker, link_claim *claim, link_publish *publish,
                          link_take *take, link_release *release, link_behind *behind) {
    const bool ping = end->role == PING;
    if (end->pattern == ROUND_TRIP && ping) {
        ask(end, worker, claim, publish, take, release);
    } else if (end->pattern == ROUND_TRIP) {
        answer(end, worker, claim, publish, take, release);
    } else if (!ping) {
        drain(end, worker, take, release, behind);
    } else if (end->pattern == STREAM) {
        pour(end, worker, claim, publish);
    } else {
        pace(end, worker, claim, publish);
    }
}
