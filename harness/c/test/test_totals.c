/* A fault in one iteration fails the trial, by the check that is for it. */
#include "loaded.h"

/* One thing that is wrong in an iteration, and the check that notices. */
static struct receipts *hit;

static void nothing(void) {
}

static void loses(void) {
    hit->tally.handled--;
}

static void announces_less(void) {
    hit->tally.announced--;
}

static void is_in_disorder(void) {
    hit->tally.faults++;
}

static void takes_a_wrong_number(void) {
    hit->tally.numbers++;
}

static void spoils(void) {
    hit->tally.content ^= 4;
}

static void ends_early(void) {
    hit->tally.latest--;
}

static void forgets_a_batch(void) {
    hit->tally.batch_events--;
}

static void gives_up(void) {
    load_abandon(&load);
}

static void goes_backward(void) {
    hit->backward++;
}

static void leaves_work_out(void) {
    hit->work.a++;
}

static void what_is_wrong_fails_the_trial(void) {
    const struct {
        void (*wrong)(void);
        const char *check;
    } faults[] = {{nothing, NULL},
                  {loses, "events handled equal events sent"},
                  {announces_less, "events announced by the end marks"},
                  {is_in_disorder, "events lost, repeated or out of order"},
                  {takes_a_wrong_number, "sum of the numbers"},
                  {spoils, "iterations whose due times differ"},
                  {ends_early, "iterations without their last event"},
                  {forgets_a_batch, "events in batches"},
                  {gives_up, "waits given up"},
                  {goes_backward, "times that the clock went backward"},
                  {leaves_work_out, "sum of the adds of the work"}};
    for (size_t i = 0; i < N(faults); i++) {
        CHECK_EQUAL(0, open_load("--rate 1000000 --work 10 --sample-every 1", 1, 1));
        run_to(4, 1e6);
        prepare(4);
        go_well(1e6);
        hit = &load.receipts[0];
        for (int k = 0; k < 1000; k++) {
            samples_add(&hit->series[LOAD_INTENDED], k);
        }
        hit->backward = 2; /* of that many that is no fault */
        faults[i].wrong();
        load_measure(&load, workers, 4, recorder);
        prepare(5);
        go_well(1e6);
        load_measure(&load, workers, 5, recorder);
        CHECK_EQUAL(0, load_finish(&load, recorder));
        CHECK_EQUAL(faults[i].check ? STATUS_CHECK_FAILED : 0, recorder_verdict(recorder));
        CHECK(!faults[i].check || strstr(failure(), faults[i].check));
        CHECK(recorded("\"work_mean_ns\""));
        close_load();
    }
}

/* Two producers and two consumers, as a pool of threads has them: without end marks and batches. */
static void many_may_go_well(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --work 10", 2, 2));
    for (int i = 0; i < 7; i++) {
        prepare(i);
        go_well(1e6);
        load.receipts[1].tally.announced = load.receipts[1].tally.batch_events = 0;
        work_do(&load.receipts[i % 2].work, 0);
        load_measure(&load, workers, i, recorder);
    }
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK_EQUAL(0, recorder_verdict(recorder));
    close_load();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(out, sizeof out, "%s.hlog", argv[0]);
    what_is_wrong_fails_the_trial();
    many_may_go_well();
    TEST_END();
}
