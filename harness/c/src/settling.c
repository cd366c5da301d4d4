#include "settling.h"

#include <string.h>

void settling_init(struct settling *settling, struct phase *phases) {
    *settling = (struct settling){.phases = phases, .quiet_ns = SETTLING_QUIET_NS};
    for (const struct phase *phase = phases; phase->name; phase++) {
        settling->most_again += phase_warmup(phase) ? 0 : phase->iterations;
    }
}

static void warm(struct settling *settling, int iteration, bool compiled) {
    struct phase *phase = phase_at(settling->phases, iteration);
    const int64_t length = phase->iteration_ns;
    settling->quiet_ns = compiled ? 0 : settling->quiet_ns + length;
    if (phase_at(settling->phases, iteration + 1) != phase && settling->quiet_ns < SETTLING_QUIET_NS &&
        settling->added_ns + length <= SETTLING_MOST_NS) {
        phase->iterations++;
        settling->added_ns += length;
    }
}

bool settling_ended(struct settling *settling, int iteration, bool compiled) {
    struct phase *phase = phase_at(settling->phases, iteration);
    if (phase_warmup(phase)) {
        warm(settling, iteration, compiled);
        return false;
    }
    if (!compiled || settling->again == settling->most_again) {
        return false;
    }
    phase->iterations++;
    settling->again++;
    return true;
}
