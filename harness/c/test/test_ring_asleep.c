/* A consumer that sleeps and a producer that wakes it: the order of what they do, and a race of both. */
#include "cpu.h"
#include "experiments/ipc/ring.h"
#include "ring_file.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

enum { MOST_NS = 1000000, LONG_ENOUGH_NS = 1000000000 };

static void offer(struct ring *ring, int byte) {
    memset(ring_claim(ring, 60), byte, 60);
    ring_commit(ring);
}

/* Whether a consumer that goes by the rules has one: it looks again before it sleeps. */
static bool arrives(struct ring *ring) {
    ring_announce(ring);
    if (ring_poll(ring)) {
        ring_stay(ring);
        return true;
    }
    return !ring_sleep(ring, MOST_NS) && ring_poll(ring);
}

static void test_order(void) {
    struct ring producer, consumer;
    open_both(&producer, &consumer, 4096);
    const uint32_t *asleep = &consumer.header->asleep;
    CHECK(!arrives(&consumer)); /* nobody wakes it, and it says so */
    CHECK_EQUAL(1, *asleep);
    /* It has said that it sleeps, and has not begun to: it does not. */
    ring_announce(&consumer);
    offer(&producer, 1);
    ring_wake(&producer);
    CHECK_EQUAL(0, *asleep);
    CHECK(!ring_sleep(&consumer, LONG_ENOUGH_NS));
    CHECK(ring_poll(&consumer));
    ring_release(&consumer);
    /* It comes between the first look and the announcement: the second look finds it. */
    CHECK(!ring_poll(&consumer));
    offer(&producer, 2);
    ring_wake(&producer);
    CHECK(arrives(&consumer));
    CHECK_EQUAL(0, *asleep);
    ring_release(&consumer);
    close_both(&producer, &consumer);
}

/* What a fault of either side looks like: a consumer that does not look again, and a producer that looks for sleepers
 * before it commits, lose a message, and the sleep tells it. */
static void test_broken_twins(void) {
    struct ring producer, consumer;
    open_both(&producer, &consumer, 4096);
    offer(&producer, 1);
    ring_wake(&producer);
    ring_announce(&consumer);
    CHECK(ring_sleep(&consumer, MOST_NS) && ring_poll(&consumer));
    ring_release(&consumer);
    ring_stay(&consumer);
    ring_wake(&producer);
    ring_announce(&consumer);
    CHECK(!ring_poll(&consumer));
    offer(&producer, 2);
    CHECK(ring_sleep(&consumer, MOST_NS) && ring_poll(&consumer));
    close_both(&producer, &consumer);
}

/* The one before it was killed after its commit, or on the way to the wake-up. */
static void test_next_producer_wakes(void) {
    struct ring producer, consumer;
    open_both(&producer, &consumer, 4096);
    for (uint32_t left = 0; left < 2; left++) {
        offer(&producer, 1);
        consumer.header->asleep = left;
        ring_close(&producer);
        CHECK_EQUAL(0, ring_attach(&producer, path));
        CHECK_EQUAL(0, ring_produce(&producer, path));
        CHECK(!ring_sleep(&consumer, LONG_ENOUGH_NS));
        CHECK(ring_poll(&consumer));
        ring_release(&consumer);
    }
    close_both(&producer, &consumer);
}

enum { MESSAGES = 50000 };

static void *take(void *argument) {
    struct ring *ring = argument;
    for (int n = 0; n < MESSAGES; n++) {
        const uint8_t *payload = ring_poll(ring);
        while (!payload) {
            ring_announce(ring);
            if (!(payload = ring_poll(ring))) {
                while (ring_sleep(ring, LONG_ENOUGH_NS)) {
                    CHECK(!ring_poll(ring)); /* or it was lost */
                }
                payload = ring_poll(ring);
            } else {
                ring_stay(ring);
            }
        }
        CHECK_EQUAL((uint8_t)n, *payload);
        ring_release(ring);
    }
    return NULL;
}

static void test_race(void) {
    struct ring producer, consumer;
    uint64_t state = 1;
    pthread_t taker;
    open_both(&producer, &consumer, 4096);
    CHECK_EQUAL(0, pthread_create(&taker, NULL, take, &consumer));
    for (int n = 0; n < MESSAGES; n++) {
        uint8_t *payload;
        while (!(payload = ring_claim(&producer, 60))) {
            sched_yield();
        }
        memset(payload, n, 60);
        ring_commit(&producer);
        ring_wake(&producer);
        for (uint64_t turns = test_random(&state) % 512; turns > 0; turns--) {
            compiler_barrier();
        }
    }
    pthread_join(taker, NULL);
    CHECK_EQUAL(consumer.header->head, consumer.header->tail);
    close_both(&producer, &consumer);
}

int main(void) {
    close(mkstemp(path));
    test_order();
    test_broken_twins();
    test_next_producer_wakes();
    test_race();
    unlink(path);
    TEST_END();
}
