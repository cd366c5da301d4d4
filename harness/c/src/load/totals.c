#include "load/totals.h"
#include "load/patience.h"
#include "load/schedule.h"

#include <inttypes.h>
#include <stdio.h>

/* One in so many differences between the clocks of two CPUs may be negative. */
enum { BACKWARD_SHARE = 1000 };

/* Adds what the producers sent; returns the content of it. */
static int64_t add_sent(struct load *load) {
    int64_t content = 0;
    for (int p = 0; p < load->producers; p++) {
        const struct source *source = &load->sources[p];
        load->totals.sent += source->sent;
        load->numbers_due += source->sent * (source->sent - 1) / 2;
        content ^= load->stamped ? schedule_content(source) : 0;
    }
    return content;
}

/* Adds what the consumers handled; returns the content of it. */
static int64_t add_handled(struct load *load) {
    struct totals *totals = &load->totals;
    int64_t content = 0;
    for (int c = 0; c < load->consumers; c++) {
        const struct receipts *r = &load->receipts[c];
        totals->handled += r->tally.handled;
        totals->announced += r->tally.announced;
        totals->batched += r->tally.batch_events;
        totals->faults += r->tally.faults;
        totals->numbers += r->tally.numbers;
        totals->samples += r->series[LOAD_INTENDED].count + r->series[LOAD_FULL].count;
        totals->backward += r->backward;
        content ^= r->tally.content;
    }
    return content;
}

void totals_add(struct load *load) {
    load->totals.spoilt += add_sent(load) != add_handled(load);
    const struct source *source = &load->sources[0];
    if (load_pairs(load) && load->stamped && source->sent > 0) {
        load->totals.endless += load->receipts[0].tally.latest != source->due[source->sent - 1];
    }
}

void totals_check(const struct load *load, struct recorder *recorder) {
    const struct totals *totals = &load->totals;
    recorder_check_equal(recorder, "events handled equal events sent", totals->sent, totals->handled);
    if (totals->announced > 0) {
        recorder_check_equal(recorder, "events announced by the end marks", totals->sent, totals->announced);
    }
    if (totals->batched > 0) {
        recorder_check_equal(recorder, "events in batches", totals->handled, totals->batched);
    }
    recorder_check_equal(recorder, "events lost, repeated or out of order", 0, totals->faults);
    recorder_check_equal(recorder, "sum of the numbers", load->numbers_due, totals->numbers);
    if (load->stamped) {
        recorder_check_equal(recorder, "iterations whose due times differ", 0, totals->spoilt);
        recorder_check_equal(recorder, "iterations without their last event", 0, totals->endless);
    }
    recorder_check_equal(recorder, "waits given up", 0, load_abandoned(load));
    const int64_t most = totals->samples / BACKWARD_SHARE + 1;
    char expected[32];
    char actual[32];
    snprintf(expected, sizeof expected, "at most %" PRId64, most);
    snprintf(actual, sizeof actual, "%" PRId64, totals->backward);
    recorder_check(recorder, "times that the clock went backward", expected, actual, totals->backward <= most);
}
