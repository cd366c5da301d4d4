#pragma once

#include "cpu.h"

#include <stdint.h>
#include <string.h>

/*
 * A message as docs/formats.md has it ("Messages of ipc"): kind, sequence, time, and words that follow from the
 * sequence. Every byte is written, and every byte is read: the sum of all words that were written must be that of all
 * words that were read. A benchmark that moves indices alone would be faster.
 */

enum { KIND_MESSAGE = 1, KIND_LAST = 2 };

enum {
    MESSAGE_SEQUENCE = 4,
    MESSAGE_TIME = 12,
    MESSAGE_WORDS = 20,
    MESSAGE_FIVE_WORDS = 40,
    MESSAGE_SMALLEST = 16, /* the only one with half a time and no words */
    MESSAGE_USUAL = 60,    /* as published: with its length one cache line */
    MESSAGE_BIGGEST = 65532,
};

struct message {
    int32_t kind;
    int64_t sequence, time;
    int64_t sum; /* of all its 64-bit words */
};

/* What follows the kind is 4 bytes off in a socket's buffer, so no pointers to words. */
static inline void message_put(uint8_t *payload, int64_t at, int64_t word) {
    memcpy(payload + at, &word, sizeof word);
}

static inline int64_t message_get(const uint8_t *payload, int64_t at) {
    int64_t word;
    memcpy(&word, payload + at, sizeof word);
    return word;
}

/* What a time of a message of `size` bytes carries of `value`. */
static inline int64_t message_narrowed(int64_t size, int64_t value) {
    return size == MESSAGE_SMALLEST ? (int32_t)value : value;
}

/* Writes all `size` bytes; the sum of the words. */
TEMPLATE int64_t message_write(uint8_t *payload, int64_t size, int32_t kind, int64_t sequence, int64_t time) {
    memcpy(payload, &kind, sizeof kind);
    message_put(payload, MESSAGE_SEQUENCE, sequence);
    if (__builtin_expect(size == MESSAGE_SMALLEST, 0)) {
        const int32_t low = (int32_t)time;
        memcpy(payload + MESSAGE_TIME, &low, sizeof low);
        return sequence + low;
    }
    message_put(payload, MESSAGE_TIME, time);
    const uint64_t n = (uint64_t)sequence;
    uint64_t sum = n + (uint64_t)time;
    int64_t at = MESSAGE_WORDS;
    for (; at + MESSAGE_FIVE_WORDS <= size; at += MESSAGE_FIVE_WORDS) {
        message_put(payload, at, (int64_t)(3 * n));
        message_put(payload, at + 8, (int64_t)(5 * n));
        message_put(payload, at + 16, (int64_t)(7 * n));
        message_put(payload, at + 24, (int64_t)(9 * n));
        message_put(payload, at + 32, (int64_t)(11 * n));
        sum += (3 + 5 + 7 + 9 + 11) * n;
    }
    for (uint64_t word = 3 * n; at < size; at += 8, word += 2 * n) {
        message_put(payload, at, (int64_t)word);
        sum += word;
    }
    return (int64_t)sum;
}

/* Reads all `size` bytes. */
TEMPLATE struct message message_read(const uint8_t *payload, int64_t size) {
    struct message message;
    memcpy(&message.kind, payload, sizeof message.kind);
    message.sequence = message_get(payload, MESSAGE_SEQUENCE);
    if (__builtin_expect(size == MESSAGE_SMALLEST, 0)) {
        int32_t low;
        memcpy(&low, payload + MESSAGE_TIME, sizeof low);
        message.time = low;
        message.sum = (int64_t)((uint64_t)message.sequence + (uint64_t)message.time);
        return message;
    }
    message.time = message_get(payload, MESSAGE_TIME);
    uint64_t sum = (uint64_t)message.sequence + (uint64_t)message.time;
    for (int64_t at = MESSAGE_WORDS; at < MESSAGE_USUAL; at += 8) {
        sum += (uint64_t)message_get(payload, at);
    }
    for (int64_t at = MESSAGE_USUAL; at < size; at += 8) {
        sum += (uint64_t)message_get(payload, at);
    }
    message.sum = (int64_t)sum;
    return message;
}
