#include "clocks.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#define NO_TSC NULL
#else
#define NO_TSC "RDTSC and RDTSCP are instructions of x86-64 processors"
#endif

static inline int64_t read_monotonic(void) {
    return clock_ns();
}

static inline int64_t read_monotonic_raw(void) {
    return clock_of(CLOCK_MONOTONIC_RAW);
}

static inline int64_t read_monotonic_coarse(void) {
    return clock_of(CLOCK_MONOTONIC_COARSE);
}

/* Past the vDSO: what a reading costs where the clock source can only be read in the kernel. */
static inline int64_t read_syscall(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#if defined(__x86_64__)
/* Ordered as the vDSO orders it: without the fence the counter may be read while earlier instructions are still under
 * way. */
static inline int64_t read_rdtsc(void) {
    _mm_lfence();
    return (int64_t)__rdtsc();
}

/* Waits for earlier instructions by itself; the fence keeps later ones from starting before. */
static inline int64_t read_rdtscp(void) {
    unsigned cpu;
    int64_t ticks = (int64_t)__rdtscp(&cpu);
    _mm_lfence();
    return ticks;
}
#else
#define read_rdtsc read_monotonic
#define read_rdtscp read_monotonic
#endif

#ifdef LAB_BROKEN_CLOCK
/* Steps back by a microsecond every 1000 readings. */
static int64_t read_broken(void) {
    static int64_t reads;
    return clock_ns() - (++reads % 1000 == 0 ? 1000 : 0);
}
#endif

/* The loops of one clock. `read` is a constant here, so that it is inlined. */
#define LOOPS(name)                                                                                                    \
    static int64_t batch_##name(int64_t count, int64_t before, int64_t *sum) {                                         \
        int64_t distances = 0;                                                                                         \
        int64_t reading = before;                                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            reading = read_##name();                                                                                   \
            distances += reading - before;                                                                             \
        }                                                                                                              \
        *sum = distances;                                                                                              \
        return reading;                                                                                                \
    }                                                                                                                  \
    static int64_t fill_##name(int64_t *readings, size_t count) {                                                      \
        int64_t reading = 0;                                                                                           \
        for (size_t i = 0; i < count; i++) {                                                                           \
            reading = read_##name();                                                                                   \
            readings[i] = reading;                                                                                     \
        }                                                                                                              \
        return reading;                                                                                                \
    }
LOOPS(monotonic)
LOOPS(monotonic_raw)
LOOPS(monotonic_coarse)
LOOPS(syscall)
LOOPS(rdtsc)
LOOPS(rdtscp)
#ifdef LAB_BROKEN_CLOCK
LOOPS(broken)
#endif

#define SOURCE(name, id, ticks) &(const struct clock_source){batch_##name, fill_##name, id, ticks}

const struct variant clock_variants[] = {
    {"monotonic", NULL, SOURCE(monotonic, CLOCK_MONOTONIC, false)},
    {"monotonic_raw", NULL, SOURCE(monotonic_raw, CLOCK_MONOTONIC_RAW, false)},
    {"monotonic_coarse", NULL, SOURCE(monotonic_coarse, CLOCK_MONOTONIC_COARSE, false)},
    {"monotonic_syscall", NULL, SOURCE(syscall, CLOCK_MONOTONIC, false)},
    {"rdtsc", NO_TSC, SOURCE(rdtsc, NO_CLOCK, true)},
    {"rdtscp", NO_TSC, SOURCE(rdtscp, NO_CLOCK, true)},
#ifdef LAB_BROKEN_CLOCK
    {"broken", NULL, SOURCE(broken, NO_CLOCK, false)},
#endif
    {"idle", NULL, NULL},
    {"across", NULL, NULL},
    {"sleeper", NULL, NULL},
    {0},
};

#if defined(__x86_64__)
/* The counter between two readings of the clock, the closest of a few: both at one moment. */
static void at_one_moment(int64_t *clock, int64_t *ticks) {
    int64_t closest = INT64_MAX;
    for (int i = 0; i < 16; i++) {
        int64_t before = clock_ns();
        int64_t counter = read_rdtsc();
        int64_t after = clock_ns();
        if (after - before < closest) {
            closest = after - before;
            *clock = before + (after - before) / 2;
            *ticks = counter;
        }
    }
}
#endif

double clock_tick_ns(const char **reason) {
    *reason = NO_TSC;
#if defined(__x86_64__)
    enum { CALIBRATION_NS = 10000000 };
    int access;
    if (prctl(PR_GET_TSC, &access) == 0 && access == PR_TSC_SIGSEGV) {
        *reason = "the kernel lets no program read the time-stamp counter (PR_TSC_SIGSEGV)";
        return 0;
    }
    unsigned a, b, c, features;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &features) || !(features & 1U << 27)) {
        *reason = "the processor has no rdtscp instruction";
        return 0;
    }
    int64_t from_ns = 0, from_ticks = 0, to_ns = 0, to_ticks = 0;
    at_one_moment(&from_ns, &from_ticks);
    while (clock_ns() - from_ns < CALIBRATION_NS) {
    }
    at_one_moment(&to_ns, &to_ticks);
    if (to_ticks <= from_ticks) {
        *reason = "the time-stamp counter does not count up";
        return 0;
    }
    return (double)(to_ns - from_ns) / (double)(to_ticks - from_ticks);
#else
    return 0;
#endif
}
