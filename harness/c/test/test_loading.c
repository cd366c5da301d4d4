/* What the iterations of a trial under load are for, and which loads are refused. */
#include "load/loading.h"
#include "loaded.h"

static void phases_follow_each_other(void) {
    const struct phase phases[] = {{"warmup", 2, 1}, {"none", 0, 1}, {"measured", 3, 2}, {0}};
    CHECK_TEXT("warmup", phase_of(phases, 1)->name);
    CHECK_TEXT("measured", phase_of(phases, 2)->name);
    CHECK_TEXT("measured", phase_of(phases, 4)->name);
    CHECK(phase_of(phases, 5) == NULL);
}

static void a_saturated_trial_has_the_usual_phases(void) {
    CHECK_EQUAL(0, open_load("--seed 3", 1, 1));
    CHECK_TEXT("warmup", phase_of(load.phases, 3)->name);
    CHECK_TEXT("measured", phase_of(load.phases, 4)->name);
    CHECK_EQUAL(2 * MS, phase_of(load.phases, 0)->iteration_ns);
    CHECK(phase_of(load.phases, 7) == NULL);
    prepare(1);
    CHECK(load.sources[0].count == INT64_MAX && load.sources[0].limit_ns == 2 * MS);
    const int64_t sampled = load.receipts[0].series[LOAD_FULL].room;
    CHECK(sampled >= 2 * MS / LOAD_UNSTAMPED_EVERY && sampled < 3 * MS / LOAD_UNSTAMPED_EVERY);
    CHECK(load.sources[0].late.room == 0);
    close_load();
}

static void iterations_of_a_paced_trial_are_for_this(void) {
    CHECK_EQUAL(0, open_load("--load 50 --arrivals uniform --sample-every 4", 1, 1));
    const char *const names[] = {"warmup", LOAD_CAPACITY, "measured", LOAD_CAPACITY_AFTER};
    const int firsts[] = {0, 4, 22, 25};
    for (size_t i = 0; i < N(names); i++) {
        CHECK_TEXT(names[i], phase_of(load.phases, firsts[i])->name);
        CHECK_EQUAL(i == 2 ? 2 * MS : 5 * MS, phase_of(load.phases, firsts[i])->iteration_ns);
    }
    CHECK(phase_of(load.phases, 32) == NULL);
    const struct source *source = &load.sources[0];
    run_to(1, 2e6);
    CHECK_EQUAL(LOAD_SATURATED_EVENTS, source->count);
    CHECK(load.receipts[0].series[LOAD_SENT].room >= LOAD_SATURATED_EVENTS / 4);
    CHECK(source->late.room >= LOAD_SATURATED_EVENTS / 4);
    prepare(1); /* at half of the latest there is, which this one, paced, does not change */
    go_well(2e6);
    load_measure(&load, workers, 1, recorder);
    CHECK(load.latest_capacity == 2e6);
    CHECK_EQUAL(4999, source->count);
    CHECK_EQUAL(1000, source->due[0]);
    prepare(2);
    CHECK_EQUAL(0, source->count);
    prepare(3);
    CHECK(source->count % LOAD_BURST == 0 && source->due[0] == 64000);
    prepare(4); /* the search begins with what is taken at once */
    CHECK(source->limit_ns == 5 * MS && load.saturated);
    close_load();
}

static void before_any_capacity_is_known_nothing_is_paced(void) {
    CHECK_EQUAL(0, open_load("--load 50", 1, 1));
    prepare(1);
    CHECK_EQUAL(0, load.sources[0].count);
    close_load();
}

/* Iterations from `first` on in which 3 M events/s are borne, and 7 M are taken at once. */
static void search(int first, int count) {
    for (int i = first; i < first + count; i++) {
        prepare(i);
        const double rate = (double)load.sources[0].count / 0.005;
        go_well(load.saturated ? 7e6 : rate);
        load.receipts[0].tally.end_ns = load.start_ns + (rate <= 3e6 ? 2 * MS : 100 * MS);
        load_measure(&load, workers, i, recorder);
    }
}

static void the_load_is_a_share_of_what_is_borne(void) {
    CHECK_EQUAL(0, open_load("--load 50 --arrivals uniform", 1, 1));
    run_to(4, 9e6);
    search(4, CAPACITY_ITERATIONS);
    prepare(22);
    CHECK(load.sources[0].count > 2400 && load.sources[0].count <= 3000);
    const int64_t share = load.sources[0].count;
    search(25, CAPACITY_AFTER);
    prepare(24); /* the capacity before, not the latest */
    CHECK_EQUAL(share, load.sources[0].count);
    const double before = capacity_before(&load.capacity);
    const double after = capacity_found(&load.capacity);
    CHECK(before > 2.4e6 && before <= 3.01e6 && after > 2.1e6 && after <= 3.01e6);
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK(recorded("\"capacity\",\"capacity_after\",\"capacity_at_once\",\"capacity_failed\","
                   "\"timer_slack_ns\"]"));
    load.handed_over = false;
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK(recorded("\"generator_capacity_failed\",\"timer_slack_ns\"]"));
    CHECK_EQUAL(0, recorder_verdict(recorder));
    close_load();
}

static void at_a_rate_there_is_no_capacity_to_look_for(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    CHECK_TEXT("warmup", phase_of(load.phases, 3)->name);
    CHECK_EQUAL(5 * MS, phase_of(load.phases, 3)->iteration_ns);
    CHECK_TEXT("measured", phase_of(load.phases, 4)->name);
    CHECK(phase_of(load.phases, 7) == NULL);
    close_load();
}

static void producers_share_the_rate(void) {
    CHECK_EQUAL(0, open_load("--rate 3000000 --arrivals uniform", 3, 1));
    prepare(4);
    for (int p = 0; p < 3; p++) {
        CHECK_EQUAL(1999, load.sources[p].count);
        CHECK_EQUAL(p, load.sources[p].index);
    }
    CHECK(load.receipts[0].series[LOAD_SENT].room >= 3 * 1999 / 16);
    CHECK(load.receipts[0].series[LOAD_SINCE].room == 0);
    close_load();
    CHECK_EQUAL(0, open_load("--rate 3000000", 2, 1));
    prepare(4);
    CHECK(load.sources[0].due[0] != load.sources[1].due[0]);
    close_load();
}

/* The first due time of an iteration. */
static int64_t first(const char *line, int iteration) {
    CHECK_EQUAL(0, open_load(line, 1, 1));
    prepare(iteration);
    const int64_t due = load.sources[0].due[0];
    close_load();
    return due;
}

static void arrivals_depend_on_seed_and_iteration(void) {
    const int64_t due = first("--rate 1000000 --seed 5", 4);
    CHECK_EQUAL(due, first("--rate 1000000 --seed 5", 4));
    CHECK(due != first("--rate 1000000 --seed 6", 4));
    CHECK(due != first("--rate 1000000 --seed 5", 5));
}

static void work_is_as_long_as_asked_for(void) {
    CHECK_EQUAL(0, open_load("--work 1000000", 1, 2));
    const struct work *work = &load.receipts[0].work;
    CHECK(work->draws[0] > 1000 && work->draws[0] == work->draws[1]);
    close_load();
    CHECK_EQUAL(0, open_load("--work 1000000 --work-kind exponential", 1, 2));
    work = &load.receipts[0].work;
    CHECK(work->draws[0] != work->draws[1]);
    CHECK(memcmp(work->draws, load.receipts[1].work.draws, sizeof work->draws) != 0);
    close_load();
}

static void the_consumer_stalls_in_the_middle(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --stall-ms 5 --arrivals uniform", 1, 1));
    for (int i = 0; i < 7; i++) {
        prepare(i);
        CHECK_EQUAL(i == 5 ? 999 : INT64_MAX, load.stall_at);
    }
    go_well(1e6);
    account_iteration(&load, recorder, 5, "measured");
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK(recorded("\"series\": [\"c0\",\"intended\",\"sent\",\"late\",\"busy\",\"idle\",\"waiting\"]"));
    close_load();
}

static void too_many_events_fail_the_trial(void) {
    CHECK_EQUAL(0, open_load("--load 100 --iteration-ms 10", 1, 1));
    run_to(23, 1e9); /* 5 million in an iteration of the warm-up, 10 in a measured one */
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, load_finish(&load, recorder));
    CHECK_EQUAL(0, load.sources[0].count); /* and ends soon */
    CHECK(strstr(failure(), "--iteration-ms: '10' is not accepted: at 1e+09 events/s"));
    close_load();
}

static void contradictions_are_refused(void) {
    const struct {
        const char *line, *cause;
    } wrong[] = {{"--load 10 --rate 1000", "--rate: '1000' is not accepted: give it or --load 10"},
                 {"--stall-ms 5", "--stall-ms: '5' is not accepted"},
                 {"--rate 1000000000 --iteration-ms 9", "--iteration-ms: '9' is not accepted"}};
    for (size_t i = 0; i < N(wrong); i++) {
        CHECK_EQUAL(STATUS_BAD_ARGUMENT, open_load(wrong[i].line, 1, 1));
        CHECK(strstr(failure(), wrong[i].cause) != NULL);
        close_load();
    }
}

static void an_iteration_may_take_what_its_parameters_make_it_take(void) {
    CHECK_EQUAL(0, open_load("--load 50", 1, 1));
    CHECK_EQUAL(5 * MS + 100 * 1000 + WORKERS_GRACE_NS, load_patience(&load, 100));
    close_load();
    CHECK_EQUAL(0, open_load("--load 120 --stall-ms 5 --work 100", 1, 1));
    CHECK_EQUAL(2 * 5 * MS + 5 * MS + 100 * 1100 + WORKERS_GRACE_NS, load_patience(&load, 100));
    close_load();
    CHECK_EQUAL(0, open_load("--load 50 --iteration-ms 10", 1, 1));
    CHECK_EQUAL(10 * MS + WORKERS_GRACE_NS, load_patience(&load, 0));
    close_load();
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    CHECK_EQUAL(5 * MS + (5000 + 100) * 1000 + WORKERS_GRACE_NS, load_patience(&load, 100));
    close_load();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(out, sizeof out, "%s.hlog", argv[0]);
    phases_follow_each_other();
    a_saturated_trial_has_the_usual_phases();
    iterations_of_a_paced_trial_are_for_this();
    before_any_capacity_is_known_nothing_is_paced();
    the_load_is_a_share_of_what_is_borne();
    at_a_rate_there_is_no_capacity_to_look_for();
    producers_share_the_rate();
    arrivals_depend_on_seed_and_iteration();
    work_is_as_long_as_asked_for();
    the_consumer_stalls_in_the_middle();
    too_many_events_fail_the_trial();
    contradictions_are_refused();
    an_iteration_may_take_what_its_parameters_make_it_take();
    TEST_END();
}
