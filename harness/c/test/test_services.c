/* The service times of a trial, and the flight that pairs of events tell. */
#include "load/services.h"
#include "loaded.h"

enum { EVENTS = 20000, WORK = 200 };

/* What a consumer behind a hop samples: from the sending of each event, and from the end of the one before. */
struct pairs {
    struct samples own, since;
};

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Random arrivals, of which the consumer is busy that share of the time. */
static struct pairs pairs_of(double busy, int64_t hop, bool exponential) {
    struct pairs pairs = {0};
    samples_make_room(&pairs.own, EVENTS);
    samples_make_room(&pairs.since, EVENTS);
    uint64_t gaps = 1;
    uint64_t works = 2;
    double clock = 0;
    int64_t done = 0;
    for (int i = 0; i < EVENTS; i++) {
        clock -= log(1 - uniform(&gaps)) * WORK / busy;
        const int64_t sent = (int64_t)clock;
        const int64_t before = done;
        const double drawn = exponential ? -log(1 - uniform(&works)) * WORK : WORK;
        done = (before > sent + hop ? before : sent + hop) + (int64_t)drawn;
        samples_add(&pairs.own, done - sent);
        samples_add(&pairs.since, done - before);
    }
    return pairs;
}

static void free_pairs(struct pairs *pairs) {
    free(pairs->own.values);
    free(pairs->since.values);
}

static int64_t flight_of(double busy, int64_t hop, bool exponential) {
    struct pairs pairs = pairs_of(busy, hop, exponential);
    const int64_t flight = services_flight(&pairs.own, &pairs.since);
    free_pairs(&pairs);
    return flight;
}

static void the_flight_is_the_hop_that_is_made_up(void) {
    const struct {
        double busy;
        int64_t hop;
    } queues[] = {{0.1, 0}, {0.1, 140}, {0.1, 1000}, {0.5, 140}, {0.8, 140}, {0.8, 60}};
    for (size_t i = 0; i < N(queues); i++) {
        CHECK_EQUAL(queues[i].hop, flight_of(queues[i].busy, queues[i].hop, false));
        const int64_t found = flight_of(queues[i].busy, queues[i].hop, true);
        CHECK(llabs(found - queues[i].hop) <= WORK / 10);
    }
}

static void what_only_waits_or_never_does_tells_of_no_flight(void) {
    struct samples early = {0};
    struct samples late = {0};
    CHECK_EQUAL(SERVICES_UNKNOWN, services_flight(&early, &late));
    samples_make_room(&early, 1000);
    samples_make_room(&late, 1000);
    for (int i = 0; i < 1000; i++) {
        samples_add(&early, 0);
        samples_add(&late, 300);
    }
    CHECK_EQUAL(SERVICES_UNKNOWN, services_flight(&late, &early));
    CHECK_EQUAL(SERVICES_UNKNOWN, services_flight(&early, &late));
    free(early.values);
    free(late.values);
}

/* The only measure of that name in an iteration. */
static double measured(int iteration, const char *name) {
    struct json json = {0};
    json_open(&json, NULL, '{');
    recorder_write(recorder, &json);
    json_close(&json, '}');
    char *text = strstr(json.text, "\"measures\"");
    char *iterations = strchr(strstr(text, "\"iteration\": "), '[') + 1;
    char *names = strchr(strstr(text, "\"name\": "), '[') + 1;
    char *values = strchr(strstr(text, "\"value\": "), '[') + 1;
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    double value = NAN;
    const size_t length = strlen(quoted);
    while (*iterations != ']') {
        const bool wanted = atoi(iterations) == iteration && !strncmp(names, quoted, length);
        value = wanted ? strtod(values, NULL) : value;
        iterations += strcspn(iterations, ",]");
        names += strcspn(names, ",]");
        values += strcspn(values, ",]");
        if (*iterations == ']') {
            break;
        }
        iterations++, names++, values++;
    }
    free(json.text);
    return value;
}

/* Tells of two iterations of a consumer behind a hop, the first in a phase of its own and with five times the hop. */
static void tell(bool awake, const char *more) {
    CHECK_EQUAL(0, open_load(more, 1, 1));
    load.awake = awake;
    for (int i = 0; i < 2; i++) {
        struct pairs pairs = pairs_of(0.5, i == 0 ? 500 : 100, false);
        struct samples *series = load.receipts[0].series;
        samples_make_room(&series[LOAD_SENT], 0);
        samples_make_room(&series[LOAD_SINCE], 0);
        samples_append(&series[LOAD_SENT], &pairs.own);
        samples_append(&series[LOAD_SINCE], &pairs.since);
        load.start_ns = 1000 * (i + 1);
        services_keep(&load, i, i == 0 ? LOAD_CAPACITY : "measured", 70 + i, EVENTS);
        free_pairs(&pairs);
    }
    services_leave(&load, recorder);
}

static void services_are_without_the_flight_of_the_measured_iterations(void) {
    tell(true, "--rate 1000000");
    CHECK(measured(WHOLE_TRIAL, "flight") == 100);
    const double busy = measured(1, "busy_count");
    const double idle = measured(1, "idle_count");
    CHECK(busy > 0 && busy + idle == EVENTS);
    CHECK(measured(1, "busy_ns") == WORK * busy && measured(1, "idle_ns") == WORK * idle);
    CHECK(measured(1, "busy_ns2") == WORK * WORK * busy);
    CHECK(measured(1, "idle_ns2") == WORK * WORK * idle);
    CHECK(measured(1, "cut_count") == 0 && measured(1, "cut_ns") == 0);
    /* The one before had another hop, which is not what is taken off. */
    CHECK(measured(0, "idle_ns") > 1.5 * WORK * measured(0, "idle_count"));
    CHECK(recorded("\"iteration\": [0,0,1,1]"));
    CHECK(recorded("\"phase\": [\"capacity\",\"capacity\",\"measured\",\"measured\"]"));
    CHECK(recorded("\"series\": [\"busy\",\"idle\",\"busy\",\"idle\"]"));
    CHECK(recorded("\"start_ns\": [1000,1000,2000,2000]"));
    CHECK(recorded("\"elapsed_ns\": [70,70,71,71]"));
    CHECK(recorded("\"operations\": [20000,20000,20000,20000]"));
    close_load();
}

static void of_a_consumer_that_sleeps_the_way_is_service(void) {
    tell(false, "--rate 1000000 --stall-ms 1");
    CHECK(isnan(measured(WHOLE_TRIAL, "flight")));
    CHECK(measured(1, "idle_ns") == (WORK + 100) * measured(1, "idle_count"));
    /* One that was on its way while another was served counts as if it had waited. */
    CHECK(measured(1, "busy_ns") > WORK * measured(1, "busy_count"));
    CHECK(recorded("\"series\": [\"busy\",\"idle\",\"waiting\",\"busy\",\"idle\",\"waiting\"]"));
    close_load();
}

static void long_services_are_counted_apart(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    const struct {
        int64_t own, since;
    } pairs[] = {{100000, 10}, {100000, 50000}, {100000, 60000}, {20, 100000}, {70000, 100000}};
    struct samples *series = load.receipts[0].series;
    samples_make_room(&series[LOAD_SENT], N(pairs));
    samples_make_room(&series[LOAD_SINCE], N(pairs));
    for (size_t i = 0; i < N(pairs); i++) {
        samples_add(&series[LOAD_SENT], pairs[i].own);
        samples_add(&series[LOAD_SINCE], pairs[i].since);
    }
    services_keep(&load, 4, "measured", 5, 6);
    services_leave(&load, recorder);
    CHECK(recorded("\"value\": [3,110010,6100000100,2,70020,4900000400,2,130000]"));
    close_load();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(out, sizeof out, "%s.hlog", argv[0]);
    the_flight_is_the_hop_that_is_made_up();
    what_only_waits_or_never_does_tells_of_no_flight();
    services_are_without_the_flight_of_the_measured_iterations();
    of_a_consumer_that_sleeps_the_way_is_service();
    long_services_are_counted_apart();
    TEST_END();
}
