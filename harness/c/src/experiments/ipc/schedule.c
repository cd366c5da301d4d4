/* Which iterations a trial has, in order. */
#include "schedule.h"

#include <string.h>

enum { FLOOR_NS = 3000000 }; /* thousands of round trips, whatever the length of the others */

void schedule(struct phase phases[SCHEDULE_PHASES], const struct trial *trial) {
    *phases++ = (struct phase){"warmup", trial->warmup, trial->iteration_ns};
    *phases++ = (struct phase){"floor_warmup", trial->warmup, FLOOR_NS};
    for (int i = 0; i < FLOOR_ITERATIONS; i++) {
        const int before = trial->iterations * i / FLOOR_ITERATIONS;
        const int after = trial->iterations * (i + 1) / FLOOR_ITERATIONS;
        *phases++ = (struct phase){"floor", 1, FLOOR_NS};
        *phases++ = (struct phase){"measured", after - before, trial->iteration_ns};
    }
    *phases = (struct phase){0};
}

void schedule_alone(struct phase phases[SCHEDULE_PHASES], const struct trial *trial) {
    phases[0] = (struct phase){"warmup", trial->warmup, trial->iteration_ns};
    phases[1] = (struct phase){"measured", trial->iterations, trial->iteration_ns};
    phases[2] = (struct phase){0};
}

bool schedule_floor(const struct phase *phase) {
    return strncmp(phase->name, "floor", strlen("floor")) == 0;
}
