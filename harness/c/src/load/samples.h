#pragma once

#include <stdint.h>

/* Durations that one thread collects in an iteration, to be put into a series after it. */
struct samples {
    int64_t *values;
    int64_t count, room;
};

/* Room for so many, touched, so that it costs nothing while timing. What it held is lost. */
void samples_make_room(struct samples *samples, int64_t count);

static inline void samples_add(struct samples *samples, int64_t nanos) {
    if (samples->count < samples->room) { /* it was made large enough */
        samples->values[samples->count++] = nanos;
    }
}

/* Adds all of another's. For after an iteration: room is made. */
void samples_append(struct samples *to, const struct samples *from);

/* The median, 0 of none; sorts them, for after an iteration their order is of no use any more. */
int64_t samples_median(struct samples *samples);
