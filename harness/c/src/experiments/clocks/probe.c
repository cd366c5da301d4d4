/*
 * probe: what the host does to a program that does nothing but count.
 *
 * On each CPU of --cpus in turn, one thread runs chunks of additions that each need the result of the one before, and
 * reads the clock between chunks, so that no moment of the stretch goes unseen. A core retires one such addition per
 * cycle whatever else it could do in parallel: no memory is touched, no branch is mispredicted. So the shortest chunk
 * is the core's cycle time at its present frequency (plus one clock read, about 0.5 % of a chunk), and whatever a chunk
 * takes beyond it was taken from us: by an interrupt, another process, the hypervisor. The floor is the minimum because
 * that noise only ever adds.
 *
 * The addends are registers, not constants: recent cores fold chains of small constants while renaming and would run
 * more than one per cycle.
 *
 * Run: harness/c/build/lab-harness probe --variant chunks --cpus 0 --warmup 5 --iterations 50
 *      --out /tmp/x.hlog
 * Expect: on a quiet host nearly all chunks close to floor_ns; hiccup_max_ns says what the longest
 * absence took.
 */
#include "experiment.h"
#include "pin.h"
#include "stats.h"

/* About 5 us at 3 GHz: long against a clock read, short against anything that interrupts. */
enum { ADDS_PER_CHUNK = 15000, UNROLLED = 100 };

/* The empty assembly makes the sum unknown to the compiler after each addition, so the chain can neither be folded into
 * a multiplication nor be split. It is the same on every architecture. */
#define ADD                                                                                                            \
    sum += one;                                                                                                        \
    __asm__ volatile("" : "+r"(sum));
#define ADD_10 ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD_100 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10 ADD_10

static uint64_t chunk(uint64_t sum) {
    uint64_t one = 1;
    __asm__ volatile("" : "+r"(one));
    for (int i = 0; i < ADDS_PER_CHUNK / UNROLLED; i++) {
        ADD_100
    }
    return sum;
}

struct stretch {
    int64_t *durations; /* ns per chunk */
    size_t count, capacity;
    int64_t start_ns, elapsed_ns;
    uint64_t sum;
};

/* Chunks back to back for `length_ns`: each clock read ends one chunk and starts the next. */
static void run_stretch(struct stretch *s, int64_t length_ns) {
    s->count = 0;
    s->start_ns = clock_ns();
    int64_t now = s->start_ns;
    const int64_t deadline = now + length_ns;
    while (now < deadline && s->count < s->capacity) {
        s->sum = chunk(s->sum);
        int64_t after = clock_ns();
        s->durations[s->count++] = after - now;
        now = after;
    }
    s->elapsed_ns = now - s->start_ns;
}

static void record(const struct trial *trial, struct recorder *recorder, int iteration, const char *series,
                   struct stretch *s) {
    recorder_row(recorder, iteration, iteration_phase(trial, iteration), series, s->start_ns, s->elapsed_ns,
                 (int64_t)s->count * ADDS_PER_CHUNK, s->durations, s->count);
    stats_sort(s->durations, s->count);
    int64_t floor = s->durations[0];
    int64_t p99 = stats_percentile(s->durations, s->count, 99);
    int64_t max = s->durations[s->count - 1];
    recorder_measure(recorder, iteration, series, "floor_ns", (double)floor);
    recorder_measure(recorder, iteration, series, "cycle_ns", (double)floor / ADDS_PER_CHUNK);
    recorder_measure(recorder, iteration, series, "hiccup_p99_ns", (double)(p99 - floor));
    recorder_measure(recorder, iteration, series, "hiccup_max_ns", (double)(max - floor));
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (trial->cpu_count == 0) {
        return fail(STATUS_BAD_ARGUMENT, "--cpus is missing: probe needs the CPUs to look at, as in 0,1");
    }
    if (trial->threads != 1) {
        return trial_refuse(trial, "threads", " by probe: give 1");
    }
    /* No chunk is shorter than a microsecond: that would be 15 GHz. 64 MB is the limit beyond it; a stretch that
     * reaches it ends early and its elapsed time says so. */
    int64_t chunks = trial->iteration_ns / 1000 + 1;
    struct stretch stretch = {.capacity = (size_t)(chunks < 8 << 20 ? chunks : 8 << 20)};
    stretch.durations = allocate(stretch.capacity, sizeof *stretch.durations);
    int64_t additions = 0;
    int status = 0;
    for (int i = 0; i < trial->warmup + trial->iterations && status == 0; i++) {
        for (int c = 0; c < trial->cpu_count && status == 0; c++) {
            int cpu = trial->cpus[c];
            int observed[8];
            int count;
            int error = pin_thread(cpu, observed, 8, &count);
            if (error) {
                status = fail(STATUS_BAD_ARGUMENT, "--cpus: cannot run on CPU %d: %s", cpu, strerror(error));
                break;
            }
            if (i == 0) {
                recorder_pinning(recorder, 0, cpu, observed, count);
            }
            char series[SERIES_LENGTH];
            snprintf(series, sizeof series, "cpu%d", cpu);
            run_stretch(&stretch, trial->iteration_ns);
            additions += (int64_t)stretch.count * ADDS_PER_CHUNK;
            record(trial, recorder, i, series, &stretch);
        }
    }
    free(stretch.durations);
    recorder_check_equal(recorder, "sum equals additions", additions, (int64_t)stretch.sum);
    return status;
}

static const struct variant variants[] = {{.name = "chunks"}, {0}};

const struct experiment experiment_probe = {.name = "probe", .variants = variants, .run = run};
