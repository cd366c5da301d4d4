#include "phases.h"

#include <stddef.h>
#include <string.h>

static const char warm_up[] = "warmup";
static struct phase usual[3];

struct phase *phases_usual(const struct trial *trial) {
    usual[0] = (struct phase){warm_up, trial->warmup, trial->iteration_ns};
    usual[1] = (struct phase){"measured", trial->iterations, trial->iteration_ns};
    return usual;
}

const char *iteration_phase(const struct trial *trial, int iteration) {
    const int warm = usual[0].name ? usual[0].iterations : trial->warmup;
    return iteration < warm ? warm_up : "measured";
}

struct phase *phase_at(struct phase *phases, int iteration) {
    while (phases->name && iteration >= phases->iterations) {
        iteration -= phases->iterations;
        phases++;
    }
    return phases->name ? phases : NULL;
}

const struct phase *phase_of(const struct phase *phases, int iteration) {
    return phase_at((struct phase *)phases, iteration);
}

bool phase_warmup(const struct phase *phase) {
    const size_t length = strlen(phase->name);
    const size_t suffix = sizeof warm_up - 1;
    return length >= suffix && strcmp(phase->name + length - suffix, warm_up) == 0;
}
