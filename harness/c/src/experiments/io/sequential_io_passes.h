#pragma once

#include "experiment.h"
#include "sequential_io_ways.h"

/* What a trial of sequential_io does with its open streams: passes, each of two or three steps that all streams take
 * together. */

enum { MAX_PASSES = 100 };

/* What the workers do together: one step of a pass. */
enum step { WRITE, SYNC, READ };

struct job {
    const struct way *way;
    enum preparation preparation;
    bool sync, reads;
    int streams;
    struct stream *stream;
    enum step step;     /* set before each, read by all */
    int rows;           /* iterations written so far */
    int64_t watched_ns; /* of each pass, by a part beside this one */
    int hasty;          /* passes that ended before */
    pthread_barrier_t together;
};

/* Runs the passes that the trial asks for over `job->streams` open streams: rows, measures and
 * checks. 0 or fail(). */
int passes_run(const struct trial *trial, struct job *job, struct recorder *recorder);
