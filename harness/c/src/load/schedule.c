#include "load/schedule.h"
#include "allocate.h"
#include "status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool schedule_fits(double rate, int64_t length_ns) {
    return rate * 1e-9 * (double)length_ns <= LOAD_MOST_EVENTS;
}

int schedule_refuse(double rate, int64_t length_ns) {
    return fail(STATUS_BAD_ARGUMENT,
                "--iteration-ms: '%" PRId64 "' is not accepted: at %.3g events/s (--rate or --load) "
                "these are more than %d events, give less of either",
                length_ns / 1000000, rate, LOAD_MOST_EVENTS);
}

static void make_room(struct source *source, int64_t count) {
    if (source->room < count) {
        free(source->due);
        source->due = allocate((size_t)count, sizeof *source->due);
        source->room = count;
    }
}

void schedule_saturated(struct source *source, bool stamped, int64_t length_ns) {
    source->limit_ns = length_ns;
    source->settled = 0;
    source->count = INT64_MAX;
    if (stamped) {
        make_room(source, LOAD_SATURATED_EVENTS);
        memset(source->due, 0, LOAD_SATURATED_EVENTS * sizeof *source->due);
        source->count = LOAD_SATURATED_EVENTS;
    }
}

void schedule_empty(struct source *source) {
    source->limit_ns = INT64_MAX;
    source->settled = 0;
    source->count = 0;
}

void schedule_paced(struct source *source, const struct arrivals *arrivals, int64_t place, double rate, int group,
                    int64_t length_ns) {
    enum { SPARE = 1024 };
    make_room(source, (int64_t)(rate * 1.2e-9 * (double)length_ns) + SPARE);
    int64_t count;
    while ((count = arrivals_due(arrivals, place, rate, group, length_ns, source->due, source->room)) > source->room) {
        make_room(source, count);
    }
    source->limit_ns = INT64_MAX;
    source->count = count;
    source->settled = count / 10;
    while (source->settled < count && source->due[source->settled] < LOAD_SETTLE_NS) {
        source->settled++;
    }
}

int64_t schedule_most(const struct source *source, int64_t length_ns) {
    return source->count == INT64_MAX ? length_ns : source->count;
}

int64_t schedule_content(const struct source *source) {
    int64_t content = 0;
    for (int64_t i = 0; i < source->sent; i++) {
        content ^= source->due[i];
    }
    return content;
}
