#pragma once

#include "owner_log.h"

/*
 * What each operation of an iteration with work outside took of the lock, put together from the logs of all threads:
 * from when it was asked for, or, where another had the lock then, from the release of that one, to its own release. A
 * server that always has one customer and then the next takes just these times, whatever is asked of it, so they are
 * its services; nothing of the others' waiting is in them. To find the lock free and to get it from another are two
 * kinds of service.
 *
 * It needs the order in which threads were in, which is that of the counts, and no gap in it: a log that was full ends
 * it for all.
 */
struct lock_services {
    int64_t *free;   /* of those that found the lock free */
    int64_t *queued; /* of those that another was in before, when they asked */
    size_t frees, queueds;
    int64_t first_ns, last_ns; /* of the releases; since the iteration began */
};

/* Of the logs of all threads, the operations asked for between `from` and `until`, in nanoseconds since the iteration
 * began. `clock_ns`: what a reading of the clock adds between asking and release. */
struct lock_services lock_services_of(const struct owner_stretch *logs, int threads, int64_t from, int64_t until,
                                      double clock_ns);
void lock_services_free(struct lock_services *found);
