#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * How long a thread waited for a CPU while it could run. The kernel counts it from the moment it queues the thread to
 * the moment the thread runs: time slices of others and the queueing of a wake-up, but neither sleep nor the way of an
 * idle CPU out of its idle state. The times that the thread and its process used a CPU come with it: who waited for a
 * thread of the same trial was not disturbed.
 */
struct run_delay {
    int64_t ran_ns;     /* by the thread, on a CPU */
    int64_t delay_ns;   /* by the thread, for a CPU */
    int64_t process_ns; /* by all threads of the process, on CPUs */
    int64_t at_ns;      /* CLOCK_MONOTONIC */
};

/* Of the calling thread so far. False, with all 0, where the kernel does not count it. */
bool run_delay_read(struct run_delay *now);

/* The delay in a text as of /proc/thread-self/schedstat, or -1: a kernel that does not count it has no such file, or
 * writes zeros: one whose thread never got a CPU. */
int64_t run_delay_parse(const char *text);
