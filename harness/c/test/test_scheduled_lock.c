/* A lock that two threads pass on by a schedule, with a spin of known length before the next may enter: the log, which
 * both keep, must say what was put in. Times are bounds that hold on any host. */
#include "experiments/locks/hand_overs.h"
#include "made_logs.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

enum { TURNS = 100, SPIN_NS = 2000 };

struct passed {
    struct owner_log log;
    int me;
    int operations; /* of each of its runs */
};

static uint64_t counter;
static int turn;

static void *keep_to_schedule(void *argument) {
    struct passed *mine = argument;
    uint64_t next = OWNER_NONE;
    for (int my_turn = mine->me; my_turn < TURNS; my_turn += 2) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < my_turn) {
            sched_yield();
        }
        for (int i = 0; i < mine->operations; i++) {
            owner_log_entered(&mine->log, &next, counter++);
        }
        const int64_t until = clock_ns() + SPIN_NS;
        while (clock_ns() < until) {
        }
        __atomic_store_n(&turn, my_turn + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void test_a_scheduled_lock(size_t capacity, int first, int second) {
    struct passed mine[2] = {{.me = 0, .operations = first}, {.me = 1, .operations = second}};
    pthread_t thread[2];
    counter = 0;
    turn = 0;
    const int64_t begun = clock_ns();
    for (int i = 0; i < 2; i++) {
        logs_open(&mine[i].log, 1, capacity, 0, begun);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(0, pthread_create(&thread[i], NULL, keep_to_schedule, &mine[i]));
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    struct owner_log logs[] = {mine[0].log, mine[1].log};
    struct owner_runs runs = logs_all(logs, 2);
    struct hand_overs found = hand_overs_of(&runs);
    /* All but the last, which is open; of logs that are full, up to the last entry of thread 0. */
    const int expected = capacity < TURNS / 2 ? 2 * (int)capacity - 2 : TURNS - 1;
    CHECK_EQUAL(expected, (int64_t)found.runs);
    CHECK_EQUAL(expected - 2, (int64_t)found.waits);
    for (size_t i = 0; i < found.runs; i++) {
        CHECK_EQUAL((int64_t)i % 2, runs.run[i].owner);
        CHECK_EQUAL(mine[i % 2].operations, found.length[i]);
        CHECK_EQUAL(mine[i % 2].operations - 1, found.rest[i]);
        CHECK(run_turn(&runs.run[i]) >= SPIN_NS);
        /* How much of the turn the operations before the spin took is known of all turns together only, but what is
         * left is part of it, and all of it after a single operation. */
        CHECK(found.hand_over[i] > 0 && found.hand_over[i] <= run_turn(&runs.run[i]));
        CHECK(found.rest[i] > 0 || found.hand_over[i] == run_turn(&runs.run[i]));
    }
    for (size_t i = 0; i < found.waits; i++) {
        CHECK(found.wait[i] >= run_turn(&runs.run[i + 1]));
    }
    CHECK(owner_runs_ns(&runs) >= (int64_t)found.runs * SPIN_NS);
    hand_overs_free(&found);
    owner_runs_free(&runs);
    logs_close(logs, 2);
}

int main(void) {
    test_a_scheduled_lock(TURNS, 40, 3);
    test_a_scheduled_lock(TURNS, 1, 1);
    test_a_scheduled_lock(10, 40, 3);
    TEST_END();
}
