/* The rows and measures that an iteration under load leaves. */
#include "loaded.h"

static void an_iteration_leaves_rows_and_measures(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --arrivals uniform", 1, 1));
    prepare(4);
    go_well(1e6);
    struct receipts *r = &load.receipts[0];
    struct source *source = &load.sources[0];
    r->backward = 11;
    r->tally.failed_polls = 10;
    source->failed_offers = 12;
    source->full = 13;
    source->occupancy = 14;
    source->occupancy_samples = 15;
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"intended\",\"sent\",\"late\"]"));
    CHECK(recorded("\"start_ns\": [1000,1000,1000,1000]"));
    CHECK(recorded("\"elapsed_ns\": [2000000,2000000,2000000,2000000]"));
    CHECK(recorded("\"operations\": [1999,1999,1999,1999]"));
    CHECK(recorded("\"name\": [\"handled\",\"failed_polls\",\"clock_backward\",\"failed_offers\",\"full\","
                   "\"occupancy_sum\",\"occupancy_samples\"]"));
    CHECK(recorded("\"value\": [1999,10,11,12,13,14,15]"));
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
    CHECK(recorded("\"name\": [\"batches\",\"batch_events\",\"batch_ns\",\"batch_n2\",\"batch_n_ns\","
                   "\"idle_looks\",\"batch_size_16\",\"handled\","));
    CHECK(recorded("\"value\": [1,20,21,400,420,2,3,5045,61,81,101,121]"));
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
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    prepare(4);
    go_well(1e6);
    const char *const names[] = {"intended", "sent", "since", "full", "late"};
    struct hdr *expected = allocate(N(names), sizeof *expected);
    for (int i = 0; i < LOAD_SERIES + 1; i++) {
        struct samples *samples = i < LOAD_SERIES ? &load.receipts[0].series[i] : &load.sources[0].late;
        samples_make_room(samples, 3);
        for (int k = 0; k <= 1 + i % 2; k++) {
            samples_add(samples, 100 * (i + 1) + k);
            hdr_record(&expected[i], 100 * (i + 1) + k, 1);
        }
    }
    account_iteration(&load, recorder, 4, "measured");
    CHECK_EQUAL(0, recorder_commit(recorder));
    char *log = allocate(1, 65536);
    FILE *file = fopen(out, "r");
    CHECK(file && fread(log, 1, 65535, file) > 0);
    for (size_t i = 0; i < N(names); i++) {
        char *encoded = hdr_encode_base64(&expected[i]);
        if (i != LOAD_SINCE && i != LOAD_FULL) {
            CHECK_TEXT(encoded, histogram(log, names[i]));
        }
        free(encoded);
    }
    CHECK(!strstr(log, "Tag=full") && !strstr(log, "Tag=since"));
    fclose(file);
    remove(out);
    free(log);
    free(expected);
    close_load();
}

static void what_there_is_to_tell_depends_on_the_threads(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000 --stall-ms 1", 1, 2));
    prepare(5);
    go_well(1e6);
    account_iteration(&load, recorder, 5, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"c1\",\"intended\",\"sent\",\"late\"]"));
    CHECK(recorded("\"failed_offers\",\"full\"]"));
    close_load();
    CHECK_EQUAL(0, open_load("--seed 1", 1, 1));
    prepare(4);
    go_well(1e6);
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"failed_offers\",\"full\"]"));
    close_load();
}

static void what_nobody_counts_is_left_out(void) {
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    prepare(4);
    go_well(1e6);
    load.looked_for = false;
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"name\": [\"handled\",\"clock_backward\",\"failed_offers\","));
    close_load();
    CHECK_EQUAL(0, open_load("--rate 1000000", 1, 1));
    prepare(4);
    go_well(1e6);
    load.handed_over = false;
    load.sources[0].occupancy_samples = 1;
    account_iteration(&load, recorder, 4, "measured");
    CHECK(recorded("\"series\": [\"c0\",\"late\"]"));
    CHECK(recorded("\"name\": []"));
    close_load();
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(out, sizeof out, "%s.hlog", argv[0]);
    an_iteration_leaves_rows_and_measures();
    consumers_have_rows_of_their_own_and_series_together();
    each_series_has_its_own_samples();
    what_there_is_to_tell_depends_on_the_threads();
    what_nobody_counts_is_left_out();
    TEST_END();
}
