/*
 * One end of a ring, as a process for tests that kill it (ring_test.py) or that have its other end in another language.
 * Messages are those of ring_messages.h, all decided by SEED and MOST.
 *
 *     ring_end create FILE CAPACITY
 *     ring_end produce FILE SEED MOST COUNT          until COUNT messages are sent, in all
 *     ring_end consume FILE SEED MOST COUNT JOURNAL  until COUNT messages are taken, in all
 *     ring_end sleep FILE SEED MOST COUNT JOURNAL    the same, and sleeps where there is none
 *     ring_end script FILE SEED MOST STEPS           both: step n offers the next message and, if
 *                                                    the number of message n is odd, takes one
 *
 * SIGTERM ends a producer or a consumer between two messages. A producer prints how many are sent. JOURNAL, 8 bytes,
 * holds how many messages have been used: it is stored before the ring's head, so that a consumer that is killed
 * between the two has used one message more than it has released. Who starts again finds its place by the ring alone.
 * Statuses as of the harness; 4: a message is not the one that had to come.
 */
#include "ring_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

static int64_t number(const char *text) {
    return strtoll(text, NULL, 10);
}

static int64_t place(const struct messages *messages, const struct ring *ring) {
    const int64_t n = messages_at(messages, ring, ring->position);
    if (n < 0) {
        die(STATUS_CHECK_FAILED, "no message begins at position %" PRId64, ring->position);
    }
    return n;
}

static int produce(struct ring *ring, const char *path, const struct messages *messages, int64_t count) {
    int status = ring_produce(ring, path);
    if (status) {
        return status;
    }
    int64_t n = place(messages, ring);
    while (n < count && !stopped) {
        if (messages_offer(messages, ring, n)) {
            n++;
            ring_wake(ring);
        } else {
            sched_yield();
        }
    }
    printf("%" PRId64 "\n", n);
    return 0;
}

static int64_t *journal(const char *path) {
    const int file = open(path, O_RDWR);
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || mapped == MAP_FAILED) {
        die(STATUS_BAD_ARGUMENT, "%s: %s", path, strerror(errno));
    }
    return mapped;
}

/* The next message, or NULL after a signal. With no limit: one that nobody woke it for stays. */
static const uint8_t *sleep_for_one(struct ring *ring) {
    ring_announce(ring);
    const uint8_t *payload = ring_poll(ring);
    if (payload) {
        ring_stay(ring);
        return payload;
    }
    while (!stopped && ring_sleep(ring, INT64_C(3600000000000))) {
    }
    return ring_poll(ring);
}

static int consume(struct ring *ring, const struct messages *messages, int64_t count, int64_t *used, bool sleeps) {
    ring_consume(ring);
    int64_t n = place(messages, ring);
    if (n != *used && n + 1 != *used) {
        return fail(STATUS_CHECK_FAILED, "%" PRId64 " messages were used, and the next is %" PRId64, *used, n);
    }
    while (n < count && !stopped) {
        const uint8_t *payload = ring_poll(ring);
        if (!payload && sleeps) {
            payload = sleep_for_one(ring);
        }
        if (!payload) {
            sched_yield();
            continue;
        }
        if (!messages_equal(messages, ring, payload, n)) {
            return fail(STATUS_CHECK_FAILED, "message %" PRId64 " is another one", n);
        }
        n++;
        __atomic_store_n(used, n, __ATOMIC_RELEASE);
        ring_release(ring);
    }
    return 0;
}

static int script(struct ring *ring, const char *path, const struct messages *messages, int64_t steps) {
    struct ring consumer;
    int64_t sent = 0;
    int64_t taken = 0;
    int status = ring_produce(ring, path);
    status = status ? status : ring_attach(&consumer, path);
    ring_consume(&consumer);
    for (int64_t step = 0; status == 0 && step < steps; step++) {
        sent += messages_offer(messages, ring, sent);
        const uint8_t *payload = messages_random(messages, step) % 2 ? ring_poll(&consumer) : NULL;
        if (payload) {
            status = messages_equal(messages, &consumer, payload, taken++)
                         ? 0
                         : fail(STATUS_CHECK_FAILED, "message %" PRId64 " is another one", taken);
            ring_release(&consumer);
        }
    }
    return status;
}

static int run(int argc, char **argv) {
    struct ring ring;
    const char *path = argc > 2 ? argv[2] : "";
    if (argc == 4 && strcmp(argv[1], "create") == 0) {
        return ring_create(&ring, path, number(argv[3]));
    }
    if (argc < 6) {
        return fail(STATUS_BAD_ARGUMENT, "create, produce, consume, sleep or script: see above");
    }
    const struct messages messages = {(uint64_t)number(argv[3]), (int32_t)number(argv[4])};
    const int64_t count = number(argv[5]);
    int status = ring_attach(&ring, path);
    if (status) {
        return status;
    }
    return strcmp(argv[1], "produce") == 0  ? produce(&ring, path, &messages, count)
           : strcmp(argv[1], "script") == 0 ? script(&ring, path, &messages, count)
           : argc == 7 ? consume(&ring, &messages, count, journal(argv[6]), strcmp(argv[1], "sleep") == 0)
                       : fail(STATUS_BAD_ARGUMENT, "consume wants a JOURNAL: see ring_end.c");
}

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, stop);
    int status = run(argc, argv);
    if (status) {
        fprintf(stderr, "ring_end: %s\n", failure());
    }
    return status;
}
