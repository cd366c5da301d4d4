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
    const int firsts[] = {0, 4, 14, 17};
    for (size_t i = 0; i < N(names); i++) {
        CHECK_TEXT(names[i], phase_of(load.phases, firsts[i])->name);
        CHECK_EQUAL(i == 2 ? 2 * MS : 5 * MS, phase_of(load.phases, firsts[i])->iteration_ns);
    }
    CHECK(phase_of(load.phases, 20) == NULL);
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
    prepare(13);
    CHECK(source->limit_ns == 5 * MS && load.saturated);
    prepare(17);
    CHECK(source->limit_ns == 5 * MS && load.saturated);
    close_load();
}

static void before_any_capacity_is_known_nothing_is_paced(void) {
    CHECK_EQUAL(0, open_load("--load 50", 1, 1));
    prepare(1);
    CHECK_EQUAL(0, load.sources[0].count);
    close_load();
}

static void the_load_is_a_share_of_what_three_in_four_reach(void) {
    const double rates[] = {9, 1, 2, 8, 4, 7, 4, 6, 5, 10};
    CHECK(load_sustained(rates, 10) == 4);
    CHECK(load_sustained(rates, 3) == 1);
    CHECK(load_sustained(rates, 4) == 2);
    CHECK_EQUAL(0, open_load("--load 50 --arrivals uniform", 1, 1));
    run_to(4, 9e6);
    for (int i = 4; i < 14; i++) {
        prepare(i);
        go_well(rates[i - 4] * 1e6);
        load_measure(&load, workers, i, recorder);
    }
    prepare(14);
    CHECK_EQUAL(3999, load.sources[0].count);
    prepare(17);
    go_well(8e6);
    load_measure(&load, workers, 17, recorder);
    prepare(16); /* the capacity proper, not the latest */
    CHECK_EQUAL(3999, load.sources[0].count);
    CHECK(load.capacity_count == 10 && load.capacity_after_count == 1);
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK(recorded("\"capacity\",\"capacity_after\",\"timer_slack_ns\"]"));
    CHECK(recorded(",4000000,8000000,"));
    load.handed_over = false;
    CHECK_EQUAL(0, load_finish(&load, recorder));
    CHECK(recorded("\"generator_capacity\",\"generator_capacity_after\",\"timer_slack_ns\"]"));
    CHECK_EQUAL(0, recorder_verdict(recorder));
    close_load();
}

static void producers_share_the_rate(void) {
    CHECK_EQUAL(0, open_load("--rate 3000000 --arrivals uniform", 3, 1));
    prepare(14);
    for (int p = 0; p < 3; p++) {
        CHECK_EQUAL(1999, load.sources[p].count);
        CHECK_EQUAL(p, load.sources[p].index);
    }
    CHECK(load.receipts[0].series[LOAD_SENT].room >= 3 * 1999 / 16);
    CHECK(load.receipts[0].series[LOAD_BUSY].room == 0);
    close_load();
    CHECK_EQUAL(0, open_load("--rate 3000000", 2, 1));
    prepare(14);
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
    const int64_t due = first("--rate 1000000 --seed 5", 14);
    CHECK_EQUAL(due, first("--rate 1000000 --seed 5", 14));
    CHECK(due != first("--rate 1000000 --seed 6", 14));
    CHECK(due != first("--rate 1000000 --seed 5", 15));
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
    for (int i = 0; i < 20; i++) {
        prepare(i);
        CHECK_EQUAL(i == 15 ? 999 : INT64_MAX, load.stall_at);
    }
    go_well(1e6);
    account_iteration(&load, recorder, 15, "measured");
    CHECK(recorded(
        "\"series\": [\"c0\",\"intended\",\"sent\",\"late\",\"busy\",\"idle\",\"waiting\"]"));
    close_load();
}

static void too_many_events_fail_the_trial(void) {
    CHECK_EQUAL(0, open_load("--load 100 --iteration-ms 10", 1, 1));
    run_to(20, 1e9); /* 5 million in an iteration of the warm-up, 10 in a measured one */
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
    the_load_is_a_share_of_what_three_in_four_reach();
    producers_share_the_rate();
    arrivals_depend_on_seed_and_iteration();
    work_is_as_long_as_asked_for();
    the_consumer_stalls_in_the_middle();
    too_many_events_fail_the_trial();
    contradictions_are_refused();
    an_iteration_may_take_what_its_parameters_make_it_take();
    TEST_END();
}
