#include "run_delay.h"
#include "clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int64_t run_delay_parse(const char *text) {
    int64_t ran;
    int64_t delay;
    int64_t slices;
    if (sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &ran, &delay, &slices) != 3) {
        return -1;
    }
    return slices > 0 && delay >= 0 ? delay : -1;
}

bool run_delay_read(struct run_delay *now) {
    char text[96] = "";
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        const ssize_t length = read(file, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        close(file);
    }
    const int64_t delay_ns = run_delay_parse(text);
    *now = (struct run_delay){0};
    if (delay_ns < 0) {
        return false;
    }
    /* The first field of the file is as old as the last tick, the clock is not. */
    *now = (struct run_delay){.ran_ns = clock_of(CLOCK_THREAD_CPUTIME_ID),
                              .delay_ns = delay_ns,
                              .process_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID),
                              .at_ns = clock_of(CLOCK_MONOTONIC)};
    return true;
}
