#pragma once

#include "cpu.h"
#include "futex.h"
#include "status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A ring of bytes in a file that two processes map: one offers messages, the other takes them. The file is that of
 * docs/formats.md, "Ring file, version 1", which says what every word is, what either side does to it and what is left
 * when either is killed. Its twin is Java's Ring.
 *
 * ring_claim() and ring_commit() are an offer in two steps, so that a message is written where it will be read;
 * ring_poll() and ring_release() take one where it lies.
 */

enum {
    RING_HEADER_BYTES = 4096,
    RING_VERSION = 1,
    RING_LEAST = 4096,
    RING_MOST = 1 << 30,
    RING_LENGTH_BYTES = 4,
    RING_ALIGNMENT = 8, /* of records, and the room that the next length takes */
};

/* The first words of the file. */
struct ring_header {
    uint64_t magic;
    uint32_t version, header_bytes;
    uint64_t capacity, file_bytes;
    _Alignas(128) int64_t tail;
    _Alignas(128) int64_t head;
    _Alignas(128) uint32_t asleep; /* 1: the consumer sleeps, or is about to */
};

/* One side of a ring: what it has mapped, and what only it knows. */
struct ring {
    struct ring_header *header;
    uint8_t *records;
    int64_t capacity;
    int64_t position;  /* where its next record goes, or comes from */
    int64_t head_seen; /* producer: the head as last read */
    int64_t claimed;   /* bytes of the record that is being written or read */
    int32_t length;    /* of the message in it */
    int32_t most;      /* bytes of a message */
    int file;
};

/* Why this build has no rings, or NULL. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define RING_UNSUPPORTED NULL
#else
#define RING_UNSUPPORTED "the ring's file is little-endian, and so must the host be"
#endif

/* Makes the file, which must not exist, with all its pages, and maps it. `capacity`: a power of two, RING_LEAST ..
 * RING_MOST. 0, or fail(STATUS_NO_RESOURCES). */
int ring_create(struct ring *ring, const char *path, int64_t capacity);

/* Maps a file that another process made, and writes nothing to it. 0, or fail(STATUS_BAD_ARGUMENT) that says why it is
 * no ring. */
int ring_attach(struct ring *ring, const char *path);

/* Says which side this is, once, after ring_create() or ring_attach(). The producer goes on after the last record that
 * was committed, whatever the one before it left undone, and wakes a consumer that the one before it may have left
 * asleep: 0, or fail(STATUS_BAD_ARGUMENT) where that is nothing a producer leaves. The consumer goes on with the first
 * record that was not released. */
int ring_produce(struct ring *ring, const char *path);
void ring_consume(struct ring *ring);

/* Unmaps and closes it; what it holds stays. */
void ring_close(struct ring *ring);

/* The longest message of a ring. */
static inline int32_t ring_most(int64_t capacity) {
    return (int32_t)(capacity / 8 - 8);
}

/* Bytes of a record that holds so many. */
static inline int64_t ring_record(int64_t length) {
    return (RING_LENGTH_BYTES + length + RING_ALIGNMENT - 1) & -RING_ALIGNMENT;
}

static inline int32_t *ring_length_at(const struct ring *ring, int64_t position) {
    return (int32_t *)(ring->records + (position & (ring->capacity - 1)));
}

/* Nothing valid is there: another program writes to the file. */
_Noreturn void ring_corrupt(int64_t position, int32_t length);

/* Where a message of `length` bytes, 1 .. ring_most(), is to be written; NULL: there is no room. */
TEMPLATE uint8_t *ring_claim(struct ring *ring, int32_t length) {
    const int64_t record = ring_record(length);
    const int64_t rest = ring->capacity - (ring->position & (ring->capacity - 1));
    const int64_t padding = record > rest ? rest : 0;
    const int64_t limit = ring->position + padding + record + RING_ALIGNMENT - ring->capacity;
    if (__builtin_expect(limit > ring->head_seen, 0)) {
        ring->head_seen = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
        if (limit > ring->head_seen) {
            return NULL;
        }
    }
    if (__builtin_expect(padding != 0, 0)) {
        __atomic_store_n(ring_length_at(ring, 0), 0, __ATOMIC_RELAXED);
        __atomic_store_n(ring_length_at(ring, ring->position), (int32_t)-padding, __ATOMIC_RELEASE);
        ring->position += padding;
    }
    ring->claimed = record;
    ring->length = length;
#ifdef LAB_BROKEN_RING /* the length before the message, and time enough to look */
    __atomic_store_n(ring_length_at(ring, ring->position + record), 0, __ATOMIC_RELAXED);
    __atomic_store_n(ring_length_at(ring, ring->position), length, __ATOMIC_RELEASE);
    for (volatile int turn = 0; turn < 1000; turn++) {
    }
#endif
    return (uint8_t *)ring_length_at(ring, ring->position) + RING_LENGTH_BYTES;
}

/* By the producer of a ring that was full: whether a quarter of it is free by now, and so room for any message. */
static inline bool ring_roomy(struct ring *ring) {
    ring->head_seen = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
    return ring->position - ring->head_seen <= ring->capacity - ring->capacity / 4;
}

/*
 * The message that was claimed has been written. The length after it becomes 0 first, for the consumer goes there next.
 * Then its own length, with release, makes it a message; and only then is the tail moved, which nobody reads but a
 * producer that starts again.
 */
TEMPLATE void ring_commit(struct ring *ring) {
    const int64_t next = ring->position + ring->claimed;
#ifndef LAB_BROKEN_RING
    __atomic_store_n(ring_length_at(ring, next), 0, __ATOMIC_RELAXED);
    __atomic_store_n(ring_length_at(ring, ring->position), ring->length, __ATOMIC_RELEASE);
#endif
    ring->position = next;
    __atomic_store_n(&ring->header->tail, next, __ATOMIC_RELAXED);
}

/* The next message, of ring->length bytes, which stays until ring_release(); NULL: none yet. */
TEMPLATE const uint8_t *ring_poll(struct ring *ring) {
    for (;;) {
        int32_t *word = ring_length_at(ring, ring->position);
        const int32_t length = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (length == 0) {
            return NULL;
        }
        /* One comparison for padding and for what is no length at all. */
        if (__builtin_expect((uint32_t)length <= (uint32_t)ring->most, 1)) {
            ring->length = length;
            ring->claimed = ring_record(length);
            return (const uint8_t *)word + RING_LENGTH_BYTES;
        }
        if (length > 0 || -(int64_t)length != ring->capacity - (ring->position & (ring->capacity - 1))) {
            ring_corrupt(ring->position, length);
        }
        ring->position -= length;
    }
}

TEMPLATE void ring_release(struct ring *ring) {
    ring->position += ring->claimed;
    __atomic_store_n(&ring->header->head, ring->position, __ATOMIC_RELEASE);
}

/*
 * A consumer that sleeps says so first and then looks once more; a producer that has committed looks afterwards whether
 * one sleeps. Between the two steps of either is a full fence, so at least one sees what the other has done, and no
 * message waits for one that sleeps.
 */

/* By the producer, after ring_commit(). */
TEMPLATE void ring_wake(UNUSED struct ring *ring) {
#ifndef LAB_BROKEN_RING /* it wakes nobody */
    uint32_t *asleep = &ring->header->asleep;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(asleep, __ATOMIC_RELAXED) && __atomic_exchange_n(asleep, 0, __ATOMIC_SEQ_CST)) {
        futex_rouse(asleep);
    }
#endif
}

/* By the consumer of a ring that it found empty: it polls once more, and then calls ring_stay() or ring_sleep(). */
static inline void ring_announce(struct ring *ring) {
    __atomic_store_n(&ring->header->asleep, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void ring_stay(struct ring *ring) {
    __atomic_store_n(&ring->header->asleep, 0, __ATOMIC_RELAXED);
}

/* Sleeps until a producer wakes it, and at most so long: the producer may be dead. Whether nobody has, so that it has
 * to sleep on: a message that is there all the same is one that was lost. */
static inline bool ring_sleep(struct ring *ring, int64_t most_ns) {
    uint32_t *asleep = &ring->header->asleep;
    if (futex_sleep(asleep, 1, most_ns) != 0 && errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT) {
        die(STATUS_NO_RESOURCES, "futex: cannot wait: %s", strerror(errno));
    }
    return __atomic_load_n(asleep, __ATOMIC_ACQUIRE) != 0;
}

/* By the consumer: bytes offered and not yet released. */
static inline int64_t ring_waiting(const struct ring *ring) {
    return __atomic_load_n(&ring->header->tail, __ATOMIC_RELAXED) - ring->position;
}
