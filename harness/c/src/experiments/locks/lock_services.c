#include "lock_services.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>

struct operation {
    int64_t count; /* first: they are sorted by it */
    int64_t asked, released;
};

/* All operations in the logs, in order; returns how many. */
static size_t in_order(const struct owner_stretch *logs, int threads, struct operation *operation) {
    size_t size = 0;
    for (int i = 0; i < threads; i++) {
        for (size_t k = 0; k < logs[i].entries; k++) {
            operation[size++] = (struct operation){.count = owner_stretch_count(&logs[i], k),
                                                   .asked = owner_stretch_ns(&logs[i], k),
                                                   .released = owner_stretch_released(&logs[i], k)};
        }
    }
    qsort(operation, size, sizeof *operation, stats_ascending);
    return size;
}

/* The service of an operation that came after another: 0 or more, for a thread may have lost its CPU between its
 * release and its reading of the clock, and the next one was in and out meanwhile. */
static void serve(struct lock_services *found, const struct operation *before, const struct operation *own,
                  int64_t clock_ns) {
    if (own->asked >= before->released) {
        const int64_t ns = own->released - own->asked - clock_ns;
        found->free[found->frees++] = ns > 0 ? ns : 0;
    } else {
        const int64_t ns = own->released - before->released;
        found->queued[found->queueds++] = ns > 0 ? ns : 0;
    }
}

struct lock_services lock_services_of(const struct owner_stretch *logs, int threads, int64_t from, int64_t until,
                                      double clock_ns) {
    size_t entries = 0;
    for (int i = 0; i < threads; i++) {
        entries += logs[i].entries;
    }
    struct operation *operation = allocate(entries + 1, sizeof *operation);
    const size_t size = in_order(logs, threads, operation);
    const int64_t limit = owner_stretches_limit(logs, threads);
    struct lock_services found = {.free = allocate(size + 1, sizeof *found.free),
                                  .queued = allocate(size + 1, sizeof *found.queued)};
    for (size_t i = 1; i < size && operation[i].count <= limit; i++) {
        if (operation[i].asked < from || operation[i].count != operation[i - 1].count + 1) {
            continue;
        }
        if (operation[i].asked > until) {
            break;
        }
        found.first_ns = found.last_ns ? found.first_ns : operation[i - 1].released;
        found.last_ns = operation[i].released;
        serve(&found, &operation[i - 1], &operation[i], (int64_t)llround(clock_ns));
    }
    free(operation);
    return found;
}

void lock_services_free(struct lock_services *found) {
    free(found->free);
    free(found->queued);
    *found = (struct lock_services){0};
}
