#pragma once

#include "experiments/ipc/ring.h"
#include "random.h"

/*
 * Messages for tests of the ring, which anybody can make from a seed: message n, from 0, has 1 + r % most bytes, of r
 * the n-th number after the seed; byte j of it is n + r + 31 j.
 */
struct messages {
    uint64_t seed;
    int32_t most;
};

static inline uint64_t messages_random(const struct messages *m, int64_t n) {
    uint64_t state = m->seed + (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
    return random_next(&state);
}

static inline int32_t messages_length(const struct messages *m, int64_t n) {
    return 1 + (int32_t)(messages_random(m, n) % (uint64_t)m->most);
}

static inline uint8_t messages_byte(const struct messages *m, int64_t n, int32_t j) {
    return (uint8_t)((uint64_t)n + messages_random(m, n) + 31 * (uint64_t)j);
}

/* Whether there was room for message n. */
static inline bool messages_offer(const struct messages *m, struct ring *ring, int64_t n) {
    const int32_t length = messages_length(m, n);
    uint8_t *payload = ring_claim(ring, length);
    if (!payload) {
        return false;
    }
    const uint8_t first = messages_byte(m, n, 0);
    for (int32_t j = 0; j < length; j++) {
        payload[j] = (uint8_t)(first + 31 * j);
    }
    ring_commit(ring);
    return true;
}

/* Whether a message is message n. */
static inline bool messages_equal(const struct messages *m, const struct ring *ring, const uint8_t *payload,
                                  int64_t n) {
    if (ring->length != messages_length(m, n)) {
        return false;
    }
    const uint8_t first = messages_byte(m, n, 0);
    for (int32_t j = 0; j < ring->length; j++) {
        if (payload[j] != (uint8_t)(first + 31 * j)) {
            return false;
        }
    }
    return true;
}

/* The number of the message that begins at a position, which only sizes and capacity decide, counted from one before
 * it, where message `n` begins; -1: none does. Padding before it may have been passed already. */
static inline int64_t messages_after(const struct messages *m, const struct ring *ring, int64_t n, int64_t at,
                                     int64_t position) {
    for (; at < position; n++) {
        const int64_t record = ring_record(messages_length(m, n));
        const int64_t rest = ring->capacity - (at & (ring->capacity - 1));
        if (record > rest) {
            at += rest;
            if (at == position) {
                return n;
            }
        }
        at += record;
        if (at > position) {
            return -1;
        }
    }
    return n;
}

static inline int64_t messages_at(const struct messages *m, const struct ring *ring, int64_t position) {
    return messages_after(m, ring, 0, 0, position);
}
