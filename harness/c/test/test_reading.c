/* Readings of a core, and of the way of a word between two threads. */
#include "reading.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>

static struct reading_line line;

static void *answer(void *rounds) {
    for (int i = 0; i < *(int *)rounds; i++) {
        reading_answer(&line);
    }
    return NULL;
}

static void test_a_core(void) {
    for (int i = 0; i < 3; i++) {
        struct reading reading = {0};
        reading_core(&reading);
        CHECK(reading.chain_ns > 0 && isfinite(reading.chain_ns));
        CHECK(reading.wide_ns > 0 && isfinite(reading.wide_ns));
    }
}

/* Both ends count the same numbers from one reading to the next. */
static void test_words_from_reading_to_reading(void) {
    int rounds = 3;
    pthread_t other;
    CHECK_EQUAL(0, pthread_create(&other, NULL, answer, &rounds));
    for (int i = 1; i <= rounds; i++) {
        const double way = reading_ask(&line);
        CHECK(way > 0 && isfinite(way));
        CHECK_EQUAL(line.ping, line.pong);
    }
    pthread_join(other, NULL);
    CHECK_EQUAL(0, line.ping % rounds);
}

static void test_a_pair(const cpu_set_t *usable) {
    int cpus[2];
    for (int cpu = 0, found = 0; found < 2; cpu++) {
        if (CPU_ISSET(cpu, usable)) {
            cpus[found++] = cpu;
        }
    }
    struct reading reading;
    CHECK_EQUAL(0, reading_pair(cpus[0], cpus[1], &reading));
    CHECK(reading.chain_ns > 0 && reading.wide_ns > 0 && reading.word_ns > 0);
    /* Whichever thread cannot be, the other does not wait for it. */
    CHECK_EQUAL(EINVAL, reading_pair(cpus[0], CPU_SETSIZE, &reading));
    CHECK_EQUAL(EINVAL, reading_pair(CPU_SETSIZE, cpus[1], &reading));
}

int main(void) {
    test_a_core();
    cpu_set_t usable;
    CHECK_EQUAL(0, sched_getaffinity(0, sizeof usable, &usable));
    /* On one CPU each trip would take two time slices. */
    if (CPU_COUNT(&usable) > 1) {
        test_words_from_reading_to_reading();
        test_a_pair(&usable);
    }
    TEST_END();
}
