/* Gaps and due times: those of every other language, and of the distribution asked for. */
#include "load/arrivals.h"
#include "random.h"
#include "stats.h"
#include "test.h"

enum { MOST = 1 << 16, LENGTH_NS = 20000000 };

static int64_t due[MOST];

/* The reference values of splitmix64, seed 1234567 (Vigna). */
static void the_generator_is_that_of_every_other_language(void) {
    uint64_t state = 1234567;
    CHECK(random_next(&state) == UINT64_C(6457827717110365317));
    CHECK(random_next(&state) == UINT64_C(3203168211198807973));
    CHECK(random_next(&state) == UINT64_C(9817491932198370423));
}

/* The same numbers as in lab.load: what is due first for seed 1 at a million events per second. */
static void arrivals_are_those_of_java(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 1);
    const int64_t first[] = {836, 2205, 5746, 6333, 6921};
    const int64_t second[] = {667, 1386, 1636, 1638, 1973};
    CHECK_EQUAL(20250, arrivals_due(&arrivals, arrivals_place(0, 0, 1), 1e6, 1, LENGTH_NS, due, MOST));
    for (size_t i = 0; i < N(first); i++) {
        CHECK_EQUAL(first[i], due[i]);
    }
    CHECK_EQUAL(7919, arrivals_place(1, 0, 1));
    CHECK_EQUAL(20053, arrivals_due(&arrivals, 7919, 1e6, 1, LENGTH_NS, due, MOST));
    for (size_t i = 0; i < N(second); i++) {
        CHECK_EQUAL(second[i], due[i]);
    }
    CHECK_EQUAL(7919 + 2 * (ARRIVALS_GAPS / 3), arrivals_place(1, 2, 3));
    arrivals_free(&arrivals);
}

static void gaps_are_exponential_with_the_mean_asked_for(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 7);
    enum { RATE = 2000000 };
    double sum = 0;
    for (int iteration = 0; iteration < 40; iteration++) {
        sum += (double)arrivals_due(&arrivals, arrivals_place(iteration, 0, 1), RATE, 1, LENGTH_NS, due, MOST);
    }
    CHECK(fabs(sum / 40 / (RATE * (LENGTH_NS * 1e-9)) - 1) < 0.01);
    /* Kolmogorov-Smirnov at 1 %, of what is drawn: due times are whole nanoseconds. */
    enum { GAPS = 10000 };
    static int64_t gaps[GAPS];
    for (int k = 0; k < GAPS; k++) {
        gaps[k] = (int64_t)(arrivals.gaps[k] * 1e9);
    }
    stats_sort(gaps, GAPS);
    double distance = 0;
    for (int k = 0; k < GAPS; k++) {
        const double expected = 1 - exp(-(double)gaps[k] * 1e-9);
        distance = fmax(distance, fabs(expected - (double)k / GAPS));
        distance = fmax(distance, fabs(expected - (double)(k + 1) / GAPS));
    }
    CHECK(distance < 1.63 / sqrt(GAPS));
    arrivals_free(&arrivals);
}

static void due_times_rise_end_and_come_again(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, true, 3);
    /* Past the last gap the first comes again; what has no room is counted. */
    due[8] = -1;
    const int64_t count = arrivals_due(&arrivals, ARRIVALS_GAPS - 2, 1e6, 1, LENGTH_NS, due, 8);
    CHECK(count > 19000 && count < 21000 && due[7] > 0 && due[8] == -1);
    const double third =
        (arrivals.gaps[ARRIVALS_GAPS - 2] + arrivals.gaps[ARRIVALS_GAPS - 1] + arrivals.gaps[0]) * 1000;
    CHECK_EQUAL((int64_t)third, due[2]);
    const int64_t all = arrivals_due(&arrivals, 5, 1e6, 1, LENGTH_NS, due, MOST);
    CHECK(all > 19000 && all < 21000);
    for (int i = 1; i < all; i++) {
        CHECK(due[i - 1] <= due[i] && due[i] < LENGTH_NS);
    }
    /* In groups: as many events, 64 at once. */
    const int64_t grouped = arrivals_due(&arrivals, 5, 1e6, 64, LENGTH_NS, due, MOST);
    CHECK(grouped % 64 == 0 && grouped > 15000 && grouped < 25000);
    CHECK(due[0] == due[63] && due[63] < due[64] && due[64] == due[127]);
    CHECK_EQUAL(0, arrivals_due(&arrivals, 5, 1, 1, 1000, due, MOST));
    arrivals_free(&arrivals);
}

static void uniform_arrivals_are_evenly_spaced(void) {
    struct arrivals arrivals;
    arrivals_init(&arrivals, false, 3);
    CHECK_EQUAL(19, arrivals_due(&arrivals, 17, 1e6, 1, 20000, due, MOST));
    for (int i = 0; i < 19; i++) {
        CHECK_EQUAL(1000 * (i + 1), due[i]);
    }
    arrivals_free(&arrivals);
}

int main(void) {
    the_generator_is_that_of_every_other_language();
    arrivals_are_those_of_java();
    gaps_are_exponential_with_the_mean_asked_for();
    due_times_rise_end_and_come_again();
    uniform_arrivals_are_evenly_spaced();
    TEST_END();
}
