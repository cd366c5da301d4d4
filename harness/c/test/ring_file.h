#pragma once

#include "experiments/ipc/ring.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

/* The ring file of a test program: made and removed by its main(), and opened from both sides. */

static char path[] = "/tmp/lab_ring_XXXXXX";

static inline void fresh(struct ring *ring, int64_t capacity) {
    unlink(path);
    CHECK_EQUAL(0, ring_create(ring, path, capacity));
}

/* Both sides of one ring, in two mappings, as two processes have them. */
static inline void open_both(struct ring *producer, struct ring *consumer, int64_t capacity) {
    fresh(producer, capacity);
    CHECK_EQUAL(0, ring_produce(producer, path));
    CHECK_EQUAL(0, ring_attach(consumer, path));
    ring_consume(consumer);
}

static inline void close_both(struct ring *producer, struct ring *consumer) {
    ring_close(producer);
    ring_close(consumer);
}
