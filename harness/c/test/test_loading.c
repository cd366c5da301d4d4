/* A whole trial under load without its threads: what its iterations are for, what they leave, and
 * that a fault in one of them fails the trial. */
#include "experiment.h"
#include "hdr.h"
#include "json.h"
#include "load.h"
#include "load/account.h"
#include "load/schedule.h"
#include "status.h"
#include "test.h"

#include <stdlib.h>

enum { MS = 1000000, SOME = 2520 /* can be divided by any number up to 10 */ };

static const struct variant variants[] = {{.name = "v"}, {0}};
static const struct parameter parameters[] = {LOAD_PARAMETERS, {0}};
static const struct experiment experiment = {
    .name = "fake", .variants = variants, .parameters = parameters};

static struct trial trial;
static struct load load;
static struct worker workers[4];
static struct recorder *recorder;
static char out[256];

/* Opens a load by the arguments beside the usual ones; its status. */
static int open_load(const char *line, int producers, int consumers) {
    static char copy[256];
    char *words[64];
    int count = 0;
    snprintf(copy, sizeof copy, "--variant v --warmup 4 --iterations 3 --out x %s %s",
             strstr(line, "--iteration-ms") ? "" : "--iteration-ms 2", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    trial.experiment = &experiment;
    CHECK_EQUAL(0, args_parse(count, words, &trial));
    trial.threads = producers + consumers;
    int status;
    recorder = recorder_open(out, &status);
    CHECK(recorder != NULL);
    return load_open(&load, &trial, producers, consumers, true);
}

static void close_load(void) {
    load_close(&load);
    recorder_close(recorder);
}

/* What producers and consumers of an iteration would leave, had all gone well: the last consumer
 * handles everything, SOME events of each producer in a saturated iteration, at `rate` a second. */
static void go_well(double rate) {
    struct receipts *r = &load.receipts[load.consumers - 1];
    load.start_ns = 1000;
    for (int p = 0; p < load.producers; p++) {
        struct source *source = &load.sources[p];
        source->sent = load.saturated ? SOME : source->count;
        r->tally.handled += source->sent;
        r->tally.announced += source->sent;
        r->tally.numbers += source->sent * (source->sent - 1) / 2;
        for (int64_t i = 0; load.stamped && i < source->sent; i++) {
            r->tally.content ^= source->due[i];
            r->tally.latest = source->due[i];
        }
    }
    r->tally.batch_events = r->tally.handled;
    for (int c = 0; c < load.consumers; c++) {
        load.receipts[c].tally.end_ns = load.start_ns + 2 * MS;
    }
    r->in_time = load.saturated ? r->tally.handled : 0;
    r->in_time_ns = llround((double)r->tally.handled / rate * 1e9);
}

static void prepare(int iteration) {
    strcpy(workers[0].series, "t0");
    load_prepare(&load, workers, iteration);
    CHECK_TEXT("", workers[0].series);
}

static void run_to(int iteration, double rate) {
    for (int i = 0; i < iteration; i++) {
        prepare(i);
        go_well(rate);
        load_measure(&load, workers, i, recorder);
    }
}

/* Whether what the recorder holds contains this text. */
static bool recorded(const char *text) {
    struct json json = {0};
    json_open(&json, '{');
    recorder_write(recorder, &json);
    json_close(&json, '}');
    const bool found = strstr(json.text, text) != NULL;
    if (!found) {
        fprintf(stderr, "%s\n", json.text);
    }
    free(json.text);
    return found;
}

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
    CHECK_EQUAL(0, load_finish(&load, recorder, false));
    CHECK(recorded("\"capacity\",\"capacity_after\",\"timer_slack_ns\"]"));
    CHECK(recorded(",4000000,8000000,"));
    CHECK_EQUAL(0, load_finish(&load, recorder, true));
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

static void an_iteration_leaves_rows_and_measures(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --arrivals uniform", 1, 1));
    prepare(14);
    go_well(1e6);
    struct receipts *r = &load.receipts[0];
    struct source *source = &load.sources[0];
    r->busy = (struct moments){1, 2, 3};
    r->idle = (struct moments){4, 5, 6};
    r->cut = (struct moments){7, 8, 9};
    r->backward = 11;
    r->tally.failed_polls = 10;
    source->failed_offers = 12;
    source->full = 13;
    source->occupancy = 14;
    source->occupancy_samples = 15;
    account_iteration(&load, recorder, 14, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"intended\",\"sent\",\"late\",\"busy\",\"idle\"]"));
    CHECK(recorded("\"start_ns\": [1000,1000,1000,1000,1000,1000]"));
    CHECK(recorded("\"elapsed_ns\": [2000000,2000000,2000000,2000000,2000000,2000000]"));
    CHECK(recorded("\"operations\": [1999,1999,1999,1999,1999,1999]"));
    CHECK(recorded(
        "\"name\": [\"handled\",\"failed_polls\",\"clock_backward\",\"failed_offers\",\"full\","
        "\"occupancy_sum\",\"occupancy_samples\",\"busy_count\",\"busy_ns\",\"busy_ns2\","
        "\"idle_count\",\"idle_ns\",\"idle_ns2\",\"cut_count\",\"cut_ns\"]"));
    CHECK(recorded("\"value\": [1999,10,11,12,13,14,15,1,2,3,4,5,6,7,8]"));
    close_load();
}

static void consumers_have_rows_of_their_own_and_series_together(void) {
    CHECK_EQUAL(0, open_load("--seed 1", 2, 2));
    prepare(4);
    go_well(1e6);
    load.receipts[0].tally.handled = 5;
    load.receipts[0].tally.end_ns += 7;
    for (int i = 0; i < 2; i++) {
        load.receipts[i].tally.failed_polls = 30 + i;
        load.receipts[i].backward = 40 + i;
        load.sources[i].failed_offers = 50 + i;
        load.sources[i].full = 60 + i;
    }
    load.receipts[1].tally.batches = 3;
    load.receipts[1].tally.sizes[4] = 3;
    load.receipts[1].tally.timed = 1;
    load.receipts[1].tally.timed_events = 20;
    load.receipts[1].tally.batch_ns = 21;
    load.receipts[1].tally.batch_n2 = 400;
    load.receipts[1].tally.batch_n_ns = 420;
    load.receipts[1].tally.idle_looks = 2;
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"c1\",\"full\"]"));
    CHECK(recorded("\"elapsed_ns\": [2000007,2000000,2000007]"));
    CHECK(recorded("\"operations\": [5,5040,5045]"));
    CHECK(
        recorded("\"name\": [\"batches\",\"batch_events\",\"batch_ns\",\"batch_n2\",\"batch_n_ns\","
                 "\"idle_looks\",\"batch_size_16\",\"handled\","));
    CHECK(recorded("\"value\": [1,20,21,400,420,2,3,5045,61,81,101,121,0,0]"));
    close_load();
}

/* The last column of the line of a series in the log. */
static const char *histogram(char *log, const char *series) {
    char tag[SERIES_LENGTH + 8];
    snprintf(tag, sizeof tag, "\nTag=%s,", series);
    char *line = strstr(log, tag);
    CHECK(line != NULL);
    char *end = line ? strchr(line + 1, '\n') : NULL;
    static char copy[512];
    const char *last = end;
    while (last && last[-1] != ',') {
        last--;
    }
    snprintf(copy, sizeof copy, "%.*s", last ? (int)(end - last) : 0, last ? last : "");
    return copy;
}

static void each_series_has_its_own_samples(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --stall-ms 1", 1, 1));
    prepare(14);
    go_well(1e6);
    const char *const names[] = {"intended", "sent", "busy", "idle", "full", "late", "waiting"};
    struct hdr *expected = allocate(N(names), sizeof *expected);
    for (int i = 0; i < LOAD_SERIES + 1; i++) {
        struct samples *samples =
            i < LOAD_SERIES ? &load.receipts[0].series[i] : &load.sources[0].late;
        samples_make_room(samples, 3);
        for (int k = 0; k <= 1 + i % 2; k++) {
            samples_add(samples, 100 * (i + 1) + k);
            hdr_record(&expected[i], 100 * (i + 1) + k, 1);
            if (i == LOAD_BUSY || i == LOAD_IDLE) {
                hdr_record(&expected[LOAD_SERIES + 1], 100 * (i + 1) + k, 1);
            }
        }
    }
    account_iteration(&load, recorder, 14, "measured");
    CHECK_EQUAL(0, recorder_commit(recorder));
    char *log = allocate(1, 65536);
    FILE *file = fopen(out, "r");
    CHECK(file && fread(log, 1, 65535, file) > 0);
    for (size_t i = 0; i < N(names); i++) {
        char *encoded = hdr_encode_base64(&expected[i]);
        if (i != LOAD_FULL) {
            CHECK_TEXT(encoded, histogram(log, names[i]));
        }
        free(encoded);
    }
    CHECK(!strstr(log, "Tag=full"));
    fclose(file);
    remove(out);
    free(log);
    free(expected);
    close_load();
}

static void what_there_is_to_tell_depends_on_the_threads(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --stall-ms 1", 1, 2));
    prepare(15);
    go_well(1e6);
    account_iteration(&load, recorder, 15, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"c1\",\"intended\",\"sent\",\"late\"]"));
    CHECK(recorded("\"full\",\"occupancy_sum\",\"occupancy_samples\"]"));
    close_load();
    CHECK_EQUAL(0, open_load("--seed 1", 1, 1));
    prepare(4);
    go_well(1e6);
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"full\",\"occupancy_sum\",\"occupancy_samples\"]"));
    close_load();
}

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
        run_to(14, 1e6);
        prepare(14);
        go_well(1e6);
        hit = &load.receipts[0];
        for (int k = 0; k < 1000; k++) {
            samples_add(&hit->series[LOAD_INTENDED], k);
        }
        hit->backward = 2; /* of that many that is no fault */
        faults[i].wrong();
        load_measure(&load, workers, 14, recorder);
        prepare(17);
        go_well(1e6);
        load_measure(&load, workers, 17, recorder);
        CHECK_EQUAL(0, load_finish(&load, recorder, false));
        CHECK_EQUAL(faults[i].check ? STATUS_CHECK_FAILED : 0, recorder_verdict(recorder));
        CHECK(!faults[i].check || strstr(failure(), faults[i].check));
        CHECK(recorded("\"work_mean_ns\""));
        close_load();
    }
}

/* Two producers and two consumers, as a pool of threads has them: without end marks and batches. */
static void many_may_go_well(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --work 10", 2, 2));
    for (int i = 0; i < 20; i++) {
        prepare(i);
        go_well(1e6);
        load.receipts[1].tally.announced = load.receipts[1].tally.batch_events = 0;
        work_do(&load.receipts[i % 2].work, 0);
        load_measure(&load, workers, i, recorder);
    }
    CHECK_EQUAL(0, load_finish(&load, recorder, false));
    CHECK_EQUAL(0, recorder_verdict(recorder));
    close_load();
}

static void too_many_events_fail_the_trial(void) {
    CHECK_EQUAL(0, open_load("--load 100 --iteration-ms 10", 1, 1));
    run_to(20, 1e9); /* 5 million in an iteration of the warm-up, 10 in a measured one */
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, load_finish(&load, recorder, false));
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
    an_iteration_leaves_rows_and_measures();
    consumers_have_rows_of_their_own_and_series_together();
    each_series_has_its_own_samples();
    what_there_is_to_tell_depends_on_the_threads();
    what_is_wrong_fails_the_trial();
    many_may_go_well();
    too_many_events_fail_the_trial();
    contradictions_are_refused();
    an_iteration_may_take_what_its_parameters_make_it_take();
    TEST_END();
}
