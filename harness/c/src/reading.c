#include "reading.h"
#include "clock.h"

#include <math.h>
#include <stdbool.h>

/* Windows of 1 to 5 us: long against a reading of the clock (25 ns), short against what interrupts and against the
 * milliseconds for which somebody else's thread comes and goes. */
enum { WINDOWS = 4, ADDS = 4000, STEPS = 2000, UNROLLED = 10, TRIPS = 25 };
/* Looks in vain after which the other end is given up: seconds, where each takes nanoseconds. */
static const int64_t PATIENCE = INT64_C(1) << 31;

/* The empty assembly makes a sum unknown to the compiler after each addition, so that a chain can neither be folded nor
 * split nor made a vector. The addend is a register, for recent cores fold small constants while renaming. */
#define ADD(sum)                                                                                                       \
    (sum) += one;                                                                                                      \
    __asm__ volatile("" : "+r"(sum));

static void keep(uint64_t sum) {
    __asm__ volatile("" ::"r"(sum));
}

static double window_chain(uint64_t one) {
    uint64_t a = one;
    const int64_t start = clock_ns();
    for (int i = 0; i < ADDS / UNROLLED; i++) {
        ADD(a) ADD(a) ADD(a) ADD(a) ADD(a) ADD(a) ADD(a) ADD(a) ADD(a) ADD(a)
    }
    const int64_t end = clock_ns();
    keep(a);
    return (double)(end - start) / ADDS;
}

/* A step of each chain. */
#define EIGHT ADD(a) ADD(b) ADD(c) ADD(d) ADD(e) ADD(f) ADD(g) ADD(h)

static double window_wide(uint64_t one) {
    uint64_t a = one, b = one, c = one, d = one, e = one, f = one, g = one, h = one;
    const int64_t start = clock_ns();
    for (int i = 0; i < STEPS / UNROLLED; i++) {
        EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
    }
    const int64_t end = clock_ns();
    keep(a + b + c + d + e + f + g + h);
    return (double)(end - start) / STEPS;
}

static double floor_of(double (*window)(uint64_t)) {
    uint64_t one = 1;
    __asm__ volatile("" : "+r"(one));
    double least = INFINITY;
    for (int i = 0; i < WINDOWS; i++) {
        least = fmin(least, window(one));
    }
    return least;
}

void reading_core(struct reading *reading) {
    reading->chain_ns = floor_of(window_chain);
    reading->wide_ns = floor_of(window_wide);
}

/* Whether the word came to be a number. */
static bool await(const int64_t *word, int64_t number) {
    for (int64_t looks = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) != number; looks++) {
        if (looks > PATIENCE) {
            return false;
        }
    }
    return true;
}

double reading_ask(struct reading_line *line) {
    int64_t number = line->ping;
    double least = INFINITY;
    for (int i = 0; i < WINDOWS; i++) {
        const int64_t start = clock_ns();
        for (int trip = 0; trip < TRIPS; trip++) {
            __atomic_store_n(&line->ping, ++number, __ATOMIC_RELEASE);
            if (!await(&line->pong, number)) {
                return NAN;
            }
        }
        least = fmin(least, (double)(clock_ns() - start) / (2 * TRIPS));
    }
    return least;
}

void reading_answer(struct reading_line *line) {
    int64_t number = line->pong;
    for (int trip = 0; trip < WINDOWS * TRIPS && await(&line->ping, ++number); trip++) {
        __atomic_store_n(&line->pong, number, __ATOMIC_RELEASE);
    }
}
