#include "load/receipts.h"

#include <errno.h>
#include <time.h>

void receipts_prepare(const struct load *load, struct receipts *r, int64_t room) {
    const int64_t paced = load->stamped ? room : 0;
    const int64_t pairs = load_pairs(load) ? paced : 0;
    samples_make_room(&r->series[LOAD_INTENDED], paced);
    samples_make_room(&r->series[LOAD_SENT], paced);
    samples_make_room(&r->series[LOAD_SINCE], pairs);
    samples_make_room(&r->series[LOAD_FULL], load->stamped ? 0 : room);
    r->handled = 0;
    r->tally = (struct tally){0};
    r->backward = r->in_time = r->in_time_ns = 0;
}

double receipts_rate(const struct load *load) {
    int64_t events = 0;
    int64_t longest_ns = 0;
    for (int c = 0; c < load->consumers; c++) {
        const struct receipts *r = &load->receipts[c];
        const bool sampled = r->in_time > 0;
        const int64_t took = sampled ? r->in_time_ns : r->tally.end_ns - load->start_ns;
        events += sampled ? r->in_time : r->tally.handled;
        longest_ns = took > longest_ns ? took : longest_ns;
    }
    return longest_ns > 0 ? (double)events * 1e9 / (double)longest_ns : 0;
}

/* The clocks of two CPUs may differ by a little. */
static int64_t at_least_zero(struct receipts *r, int64_t nanos) {
    r->backward += nanos < 0;
    return nanos < 0 ? 0 : nanos;
}

static void stall(struct load *load) {
    load->stall_at = INT64_MAX;
    struct timespec left = {load->stall_ns / 1000000000, load->stall_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

int64_t load_sample(struct load *load, struct receipts *r, const struct event *event, int64_t previous, int64_t handled,
                    int64_t start) {
    const int64_t index = event->number & LOAD_INDEX;
    if (index >= load->stall_at) {
        stall(load);
    }
    const int64_t done = clock_ns() - start;
    const struct source *source = &load->sources[event->number >> LOAD_PRODUCER_SHIFT];
    if (done <= source->limit_ns) {
        r->in_time = handled;
        r->in_time_ns = done;
    }
    if (index < source->settled || index == 0) {
        return done;
    }
    samples_add(&r->series[LOAD_INTENDED], at_least_zero(r, done - event->due));
    samples_add(&r->series[LOAD_SENT], at_least_zero(r, done - event->sent));
    if (load_pairs(load)) {
        samples_add(&r->series[LOAD_SINCE], done - previous);
    }
    return done;
}

void load_sample_full(struct receipts *r, int64_t sojourn) {
    samples_add(&r->series[LOAD_FULL], at_least_zero(r, sojourn));
}
