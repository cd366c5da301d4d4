#include "test.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>

static void pieces_are_timed(void) {
    struct work *mine = allocate(1, sizeof *mine);
    work_init(mine, 100, true, 1);
    CHECK(work_mean_ns(mine) > 0);
    CHECK(mine->steps > 0 && mine->a == work_expected(mine));
    work_init(mine, 0, false, 1);
    NEAR(0, work_mean_ns(mine));
    free(mine);
}

static void steps_make_fibonacci_numbers(void) {
    struct work *mine = allocate(1, sizeof *mine);
    work_init(mine, 37, true, 3);
    uint64_t a = 0;
    uint64_t b = 1;
    uint64_t done = 0;
    for (int piece = 0; piece < 2 * WORK_DRAWS; piece++) {
        work_do(mine, (uint64_t)piece);
        for (; done < mine->steps; done++) {
            a += b;
            b += a;
        }
        CHECK(mine->a == a);
    }
    CHECK(work_expected(mine) == a);
    CHECK(a != 0);
    free(mine);
}

static void draws_keep_mean_and_spread(void) {
    struct work *mine = allocate(1, sizeof *mine);
    struct work *other = allocate(1, sizeof *other);
    for (int exponential = 0; exponential <= 1; exponential++) {
        work_init(mine, 1000, exponential, 1);
        work_init(other, 1000, exponential, 2);
        double sum = 0;
        double squares = 0;
        int equal = 0;
        for (int k = 0; k < WORK_DRAWS; k++) {
            sum += mine->draws[k];
            squares += pow(mine->draws[k] - 1000.0, 2);
            equal += mine->draws[k] == other->draws[k];
        }
        CHECK(fabs(sum / WORK_DRAWS - 1000) < 1);
        CHECK(fabs(sqrt(squares / WORK_DRAWS) - (exponential ? 1000 : 0)) < 30);
        CHECK(exponential ? equal < WORK_DRAWS / 50 : equal == WORK_DRAWS);
    }
    free(mine);
    free(other);
}

int main(void) {
    steps_make_fibonacci_numbers();
    draws_keep_mean_and_spread();
    pieces_are_timed();
    TEST_END();
}
