#include "phases.h"

#include <stddef.h>

const char *iteration_phase(const struct trial *trial, int iteration) {
    return iteration < trial->warmup ? "warmup" : "measured";
}

const struct phase *phase_of(const struct phase *phases, int iteration) {
    while (phases->name && iteration >= phases->iterations) {
        iteration -= phases->iterations;
        phases++;
    }
    return phases->name ? phases : NULL;
}
