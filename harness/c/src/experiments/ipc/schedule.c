/* Which iterations a trial has, in order. */
#include "ipc.h"

/* Of the bare word thousands of round trips, of the bare wake-up tens, whatever the length of the others. */
enum { FLOOR_NS = 3000000 };

void schedule(struct phase phases[SCHEDULE_PHASES], const struct trial *trial) {
    *phases++ = (struct phase){"warmup", trial->warmup, trial->iteration_ns};
    *phases++ = (struct phase){"floor_warmup", trial->warmup, FLOOR_NS};
    *phases++ = (struct phase){"wake_warmup", (trial->warmup + 3) / 4, FLOOR_NS};
    for (int i = 0; i < FLOOR_ITERATIONS; i++) {
        const int before = trial->iterations * i / FLOOR_ITERATIONS;
        const int after = trial->iterations * (i + 1) / FLOOR_ITERATIONS;
        *phases++ = (struct phase){"wake", 1, FLOOR_NS};
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

enum passed schedule_passes(const struct phase *phase) {
    return strncmp(phase->name, "floor", strlen("floor")) == 0 ? WORDS
           : strncmp(phase->name, "wake", strlen("wake")) == 0 ? WAKES
                                                               : MESSAGES;
}
