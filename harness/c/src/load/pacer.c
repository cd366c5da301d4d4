#include "load/pacer.h"
#include "random.h"

void source_prepare(struct source *source, int64_t room) {
    samples_make_room(&source->late, room);
    source->look_ns = 0;
    source->occupancy = source->occupancy_samples = 0;
    source->full = source->failed_offers = 0;
    source->progress = 0;
}

void load_look(const struct load *load, struct source *source, int64_t sent, int64_t now) {
    enum { LEAST_NS = 8000, SPREAD_NS = 24000 };
    source->look_ns = now + LEAST_NS + (int64_t)(random_next(&source->random) % SPREAD_NS);
    if (source->index > 0 || sent <= source->settled) {
        return;
    }
    int64_t handled = 0;
    for (int c = 0; c < load->consumers; c++) {
        handled += __atomic_load_n(&load->receipts[c].handled, __ATOMIC_ACQUIRE);
    }
    for (int p = 1; p < load->producers; p++) {
        sent += __atomic_load_n(&load->sources[p].progress, __ATOMIC_RELAXED);
    }
    source->occupancy += sent - handled;
    source->occupancy_samples++;
}
