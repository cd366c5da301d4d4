#include "load/pacer.h"
#include "random.h"

void source_prepare(struct source *source, int64_t room) {
    samples_make_room(&source->late, room);
    source->look_ns = 0;
    source->occupancy = source->occupancy_samples = 0;
    source->full = source->failed_offers = 0;
    source->progress = 0;
}

/* How many of the events from this one on fell due then: none where it was due before, and is late. */
static int64_t fell_due(const struct source *source, int64_t first, int64_t from, int64_t to) {
    int64_t next = first;
    if (source->due && next < source->count && source->due[next] > from) {
        while (next < source->count && source->due[next] <= to) {
            next++;
        }
    }
    return next - first;
}

/* What the other producers have sent, less what was handled. */
static int64_t counted_by_others(const struct load *load) {
    int64_t count = 0;
    for (int c = 0; c < load->consumers; c++) {
        count -= __atomic_load_n(&load->receipts[c].handled, __ATOMIC_ACQUIRE);
    }
    for (int p = 1; p < load->producers; p++) {
        count += __atomic_load_n(&load->sources[p].progress, __ATOMIC_RELAXED);
    }
    return count;
}

void load_look(const struct load *load, struct source *source, int64_t sent, int64_t now, load_clock *clock,
               int64_t start) {
    enum { LEAST_NS = 8000, SPREAD_NS = 24000 };
    source->look_ns = now + LEAST_NS + (int64_t)(random_next(&source->random) % SPREAD_NS);
    if (source->index > 0 || sent <= source->settled) {
        return;
    }
    const int64_t others = counted_by_others(load);
    source->occupancy += sent + fell_due(source, sent, now, clock() - start) + others;
    source->occupancy_samples++;
}
