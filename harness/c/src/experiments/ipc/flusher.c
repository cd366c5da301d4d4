#include "ipc.h"

#include <errno.h>
#include <unistd.h>

#define FLUSH_EVERY_NS INT64_C(100000000)

static void *flush(void *argument) {
    struct flusher *flusher = argument;
    int64_t due = clock_ns();
    while (!__atomic_load_n(&flusher->stop, __ATOMIC_ACQUIRE)) {
        due += FLUSH_EVERY_NS;
        const struct timespec until = {due / 1000000000, due % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        const int64_t before = clock_ns();
        if (fdatasync(flusher->file) != 0) {
            die(STATUS_NO_RESOURCES, "--dir: fdatasync: %s", strerror(errno));
        }
        const int64_t took = clock_ns() - before;
        flusher->longest_ns = took > flusher->longest_ns ? took : flusher->longest_ns;
        flusher->flushes++;
    }
    return NULL;
}

int flusher_start(struct flusher *flusher, int file) {
    *flusher = (struct flusher){.file = file};
    int error = pthread_create(&flusher->thread, NULL, flush, flusher);
    return error ? fail(STATUS_NO_RESOURCES, "the thread that flushes cannot be started: %s", strerror(error)) : 0;
}

void flusher_stop(struct flusher *flusher, struct recorder *recorder) {
    __atomic_store_n(&flusher->stop, true, __ATOMIC_RELEASE);
    pthread_join(flusher->thread, NULL);
    recorder_measure(recorder, WHOLE_TRIAL, "", "flushes", (double)flusher->flushes);
    recorder_measure(recorder, WHOLE_TRIAL, "", "flush_max_ns", (double)flusher->longest_ns);
}
