/* What a killed producer or consumer leaves in a ring file, and how the next goes on. */
#include "experiments/ipc/ring.h"
#include "ring_file.h"
#include "test.h"

/* What a producer may have done of an offer when it is killed. */
enum progress { PAYLOAD, PADDING, LENGTH };

/*
 * A ring of 4,096 bytes after 8 messages in 3,648 of them, all taken; then one of `length` bytes of which the producer
 * did so much. The next producer and consumer go on.
 */
static void interrupted(int32_t length, enum progress progress, bool arrives) {
    struct ring producer, consumer;
    open_both(&producer, &consumer, 4096);
    for (int i = 0; i < 8; i++) {
        memset(ring_claim(&producer, 452), i, 452);
        ring_commit(&producer);
        CHECK(ring_poll(&consumer));
        ring_release(&consumer);
    }
    const int64_t tail = producer.header->tail;
    uint8_t *payload = NULL;
    if (progress == PAYLOAD) { /* before any word that the consumer looks at */
        memset(producer.records + (tail & 4095) + RING_LENGTH_BYTES, 9, 16);
    } else {
        payload = ring_claim(&producer, length); /* with the padding, if there is any */
        memset(payload, 9, (size_t)length);
    }
    if (progress == LENGTH) {
        ring_commit(&producer);
        producer.header->tail = tail;
    }
    close_both(&producer, &consumer);
    CHECK_EQUAL(0, ring_attach(&producer, path));
    CHECK_EQUAL(0, ring_produce(&producer, path));
    CHECK_EQUAL(0, ring_attach(&consumer, path));
    ring_consume(&consumer);
    CHECK_EQUAL(producer.position, producer.header->tail);
    CHECK_EQUAL(arrives, ring_poll(&consumer) != NULL);
    if (arrives) {
        CHECK_EQUAL(length, consumer.length);
        ring_release(&consumer);
        CHECK(!ring_poll(&consumer));
    }
    memset(ring_claim(&producer, 500), 5, 500);
    ring_commit(&producer);
    const uint8_t *next = ring_poll(&consumer);
    CHECK(next && consumer.length == 500 && next[0] == 5 && next[499] == 5);
    ring_release(&consumer);
    CHECK_EQUAL(consumer.header->head, consumer.header->tail);
    close_both(&producer, &consumer);
}

static void test_interrupted_producers(void) {
    interrupted(60, PAYLOAD, false);
    interrupted(60, LENGTH, true);
    interrupted(504, PADDING, false); /* it does not fit into the last 448 bytes */
    interrupted(504, LENGTH, true);
}

/* The consumer took the message whose length is there and whose tail is not: that is no fault. */
static void test_consumer_ahead_of_tail(void) {
    struct ring producer, consumer, other;
    open_both(&producer, &consumer, 4096);
    memset(ring_claim(&producer, 60), 1, 60);
    ring_commit(&producer);
    producer.header->tail = 0;
    CHECK(ring_poll(&consumer));
    ring_release(&consumer);
    CHECK_EQUAL(64, consumer.header->head);
    CHECK_EQUAL(0, ring_attach(&other, path));
    CHECK_EQUAL(0, ring_produce(&other, path));
    CHECK_EQUAL(64, other.header->tail);
    ring_close(&other);
    /* What follows the tail is no record: garbage is told from what a producer leaves. */
    producer.header->tail = 0;
    *ring_length_at(&producer, 0) = 5000;
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, ring_attach(&other, path));
    CHECK(strstr(failure(), ": head 64 is beyond tail 0"));
    consumer.header->head = 0;
    CHECK_EQUAL(0, ring_attach(&other, path));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, ring_produce(&other, path));
    CHECK(strstr(failure(), ": what follows tail 0 is not one record"));
    ring_close(&other);
    close_both(&producer, &consumer);
}

/* What was in hand is delivered again, once. */
static void test_interrupted_consumer(void) {
    struct ring producer, consumer;
    open_both(&producer, &consumer, 4096);
    for (int i = 1; i <= 3; i++) {
        memset(ring_claim(&producer, 60), i, 60);
        ring_commit(&producer);
    }
    CHECK_EQUAL(1, *ring_poll(&consumer));
    ring_release(&consumer);
    CHECK_EQUAL(2, *ring_poll(&consumer));
    ring_close(&consumer);
    CHECK_EQUAL(0, ring_attach(&consumer, path));
    ring_consume(&consumer);
    for (int i = 2; i <= 3; i++) {
        CHECK_EQUAL(i, *ring_poll(&consumer));
        ring_release(&consumer);
    }
    CHECK(!ring_poll(&consumer));
    close_both(&producer, &consumer);
}

int main(void) {
    close(mkstemp(path));
    test_interrupted_producers();
    test_consumer_ahead_of_tail();
    test_interrupted_consumer();
    unlink(path);
    TEST_END();
}
