#include "load/word.h"
#include "clock.h"
#include "pin.h"
#include "status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef LOAD_WORD_NS
#define LOAD_WORD_NS 2000000
#define LOAD_WORD_TRIPS 64
#endif

enum {
    WARMUPS = 10,
    ITERATIONS = 5,
    NS = LOAD_WORD_NS,
    TRIPS = LOAD_WORD_TRIPS, /* between two readings of the clock */
    APART = 128              /* bytes: the prefetcher fetches lines in pairs */
};
/* Looks in vain after which the other thread is given up: seconds, where each takes nanoseconds. */
static const int64_t PATIENCE = 10000000000;

struct words {
    _Alignas(APART) int64_t ping;
    _Alignas(APART) int64_t pong;
    _Alignas(APART) int cpus[2];
    bool failed;
    int64_t disorder;
    double found[ITERATIONS];
};

/* The word once it is another than it was; `was` where the other thread is given up. */
static int64_t await(struct words *words, const int64_t *word, int64_t was) {
    int64_t value;
    int64_t looks = 0;
    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == was) {
        if (++looks > PATIENCE || __atomic_load_n(&words->failed, __ATOMIC_RELAXED)) {
            __atomic_store_n(&words->failed, true, __ATOMIC_RELAXED);
            break;
        }
    }
    return value;
}

static bool pinned(struct words *words, int end) {
    int observed[1];
    int count;
    const bool right = pin_thread(words->cpus[end], observed, 1, &count) == 0;
    if (!right) {
        __atomic_store_n(&words->failed, true, __ATOMIC_RELAXED);
    }
    return right;
}

static void *ask(void *shared) {
    struct words *words = shared;
    int64_t number = 0;
    bool going = pinned(words, 0);
    for (int i = -WARMUPS; i < ITERATIONS && going; i++) {
        const int64_t before = number;
        const int64_t start = clock_ns();
        int64_t now;
        do {
            for (int trip = 0; trip < TRIPS && going; trip++) {
                __atomic_store_n(&words->ping, ++number, __ATOMIC_RELEASE);
                words->disorder += await(words, &words->pong, number - 1) != number;
                going = !__atomic_load_n(&words->failed, __ATOMIC_RELAXED);
            }
            now = clock_ns();
        } while (going && now - start < NS);
        if (i >= 0) {
            words->found[i] = (double)(now - start) / 2 / (double)(number - before);
        }
    }
    __atomic_store_n(&words->ping, -number - 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *answer(void *shared) {
    struct words *words = shared;
    int64_t seen = 0;
    bool going = pinned(words, 1);
    while (going && seen >= 0) {
        seen = await(words, &words->ping, seen);
        __atomic_store_n(&words->pong, seen, __ATOMIC_RELEASE);
        going = !__atomic_load_n(&words->failed, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* The CPU of the first consumer; where that is the first producer's as well, the next one. */
static int other(const struct trial *trial, int producers) {
    int at = producers % trial->cpu_count;
    while (trial->cpus[at] == trial->cpus[0]) {
        at = (at + 1) % trial->cpu_count;
    }
    return trial->cpus[at];
}

int load_word(const struct trial *trial, int producers, struct recorder *recorder) {
    if (pin_distinct(trial->cpus, trial->cpu_count) < 2) {
        return 0;
    }
    const bool free = trial->cpu_count == 0;
    struct words words = {
        .cpus = {free ? -1 : trial->cpus[0], free ? -1 : other(trial, producers)}};
    pthread_t threads[2];
    void *(*const ends[])(void *) = {answer, ask};
    for (int i = 0; i < 2; i++) {
        const int error = pthread_create(&threads[i], NULL, ends[i], &words);
        if (error) {
            return fail(STATUS_NO_RESOURCES, "the bare word: no thread: %s", strerror(error));
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    if (words.failed) {
        return fail(STATUS_CHECK_FAILED, "the bare word: the other thread does not answer");
    }
    for (int i = 0; i < ITERATIONS; i++) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "word", words.found[i]);
    }
    recorder_check_equal(recorder, "bare words lost, repeated or out of order", 0, words.disorder);
    return 0;
}
