/* How many messages are in a ring, over time. */
#include "experiments/ipc/patterns.h"
#include "test.h"

int main(void) {
    struct in_ring in_ring = {0};
    /* The consumer comes late: 8 messages lie there by then, 4 in the mean. */
    end_behind(&in_ring, 8, 1000, 1100);
    CHECK(in_ring.over_ns == 100 && in_ring.sum == 400);
    end_behind(&in_ring, 10, 1001, 1110); /* 9 for 10 ns */
    CHECK(in_ring.over_ns == 110 && in_ring.sum == 490);
    /* It lies there for 90 ns while a hundred more come, which are taken at once. */
    end_behind(&in_ring, 110, 1002, 1200);
    CHECK(in_ring.over_ns == 200 && in_ring.sum == 490 + 60 * 90);
    for (int behind = 109; behind >= 0; behind--) {
        end_behind(&in_ring, behind, 1100, 1200);
    }
    CHECK(in_ring.over_ns == 200 && in_ring.sum == 490 + 60 * 90);
    TEST_END();
}
