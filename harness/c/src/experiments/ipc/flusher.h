#pragma once

#include "experiment.h"

#include <pthread.h>

/* A thread that writes a file's pages to its disk every FLUSH_EVERY_NS, as the kernel does on its
 * own after 5 s and more: longer than a trial lasts. */
struct flusher {
    pthread_t thread;
    int file;
    bool stop;
    int64_t flushes, longest_ns;
};

/* 0, or fail(STATUS_NO_RESOURCES). */
int flusher_start(struct flusher *flusher, int file);

/* Ends it, and says how often it wrote and how long that took. */
void flusher_stop(struct flusher *flusher, struct recorder *recorder);
