#pragma once

#include "links.h"

/* What a variant runs. */
struct method {
    const struct link *link; /* NULL: one process is both ends */
    void (*run)(struct worker *worker, void *end);
    int64_t sample_every; /* of round trips */
    bool descriptors;
    bool solo;
    bool flushed; /* a thread writes ping's ring to its disk now and then */
};

/* 0, or fail(STATUS_BAD_ARGUMENT) that says which argument does not go with the others. */
int method_accepts(const struct method *method, const struct trial *trial);

enum pattern method_pattern(const struct trial *trial);

/* Round trips, or messages of a stream, of which one is timed. */
int64_t method_sample_every(const struct method *method, const struct trial *trial);
