#pragma once

/* A notifier that does not wait for the waiter, and one that leaves a number out: of notify_cost_mechanisms.c, whose
 * checks have to notice. */

static int64_t send_all_but_third(struct pair *pair, uint32_t sequence) {
    return sequence == 3 ? 0 : send_cond(pair, sequence);
}

const struct mechanism notify_hasty = {
    .receive = receive_cond, .send = send_cond, .asleep = asleep_cond, .stop = stop_cond, .hasty = true};

const struct mechanism notify_losing = {
    .receive = receive_cond, .send = send_all_but_third, .asleep = asleep_cond, .stop = stop_cond};
