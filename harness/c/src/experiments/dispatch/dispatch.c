/*
 * dispatch: value = operations[i]->map(value) over a shuffled mix of 1..8 targets.
 *
 * One operation is one call; one value is a batch of 1024 of them, because a call costs less than a
 * clock read. The clock is read once between batches (the end of one is the start of the next), so
 * it adds about one read per 1024 calls. The mix is 4096 long: too long for a short pattern to be
 * learnt, small enough for the level-1 cache.
 *
 * `inlined` has no call and therefore no mix: it runs the body of the first target whatever
 * `classes` is, so that the floor can be drawn beside every mix.
 *
 * Check: every target is an affine map v -> a v + c modulo 2^64, and so is any sequence of them.
 * The map of one walk through the mix, composed from the constants written down here a second time
 * and raised to the number of walks, must give the measured value.
 *
 * Run: harness/c/build/lab-harness dispatch --variant function_pointer --classes 8 --warmup 5
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: calls dearer than with --classes 1, whose target is always predicted, and the floor of
 * both in the variant inlined.
 */
#include "dispatch.h"
#include "clock.h"
#include "experiment.h"
#include "workers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One compilation of the kernel, with the targets it was compiled with. */
struct compiled {
    const struct operation *targets;
    uint64_t (*calls)(const struct operation *const *, int, uint64_t); /* NULL: inlined */
};
#define COMPILED(build) &(const struct compiled){dispatch_targets_##build, dispatch_calls_##build}

/* Support and implementation. */
#ifdef LAB_PGO
#define PROFILED(build) NULL, COMPILED(build)
#else
#define PROFILED(build) "built without profile feedback: the rules for it are for gcc", NULL
#endif

static const struct variant variants[] = {
    {"function_pointer", NULL, COMPILED(plain)},
    {"function_pointer_pgo1", PROFILED(pgo1)},
    {"function_pointer_pgo4", PROFILED(pgo4)},
    {"inlined", NULL, &(const struct compiled){dispatch_targets_plain, NULL}},
    {0},
};

static const struct parameter parameters[] = {
    {"classes", PARAMETER_INT, .min = 1, .max = DISPATCH_TARGETS, .number = 1},
    {0},
};

struct shared {
    const struct operation *mix[DISPATCH_OPERATIONS];
    uint8_t target[DISPATCH_OPERATIONS];
    uint64_t (*calls)(const struct operation *const *, int, uint64_t);
    uint64_t value;
    int position; /* in the mix; a batch never runs past its end */
};

static void prepare(void *shared, struct worker *workers, int iteration) {
    (void)shared;
    (void)iteration;
    snprintf(workers->series, sizeof workers->series, "calls");
}

static inline __attribute__((always_inline)) void kernel(struct worker *worker, struct shared *s,
                                                         bool inlined) {
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t now = clock_ns();
    do {
        s->value = inlined ? dispatch_inlined(DISPATCH_BATCH, s->value)
                           : s->calls(s->mix + s->position, DISPATCH_BATCH, s->value);
        s->position = (s->position + DISPATCH_BATCH) % DISPATCH_OPERATIONS;
        int64_t after = clock_ns();
        samples[sampled++] = after - now;
        now = after;
    } while (now < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * DISPATCH_BATCH;
}

static void run_calls(struct worker *worker, void *shared) {
    kernel(worker, shared, false);
}

static void run_inlined(struct worker *worker, void *shared) {
    kernel(worker, shared, true);
}

/* v -> a v + c. */
struct affine {
    uint64_t a, c;
};

static struct affine then(struct affine first, struct affine second) {
    return (struct affine){second.a * first.a, second.a * first.c + second.c};
}

static struct affine of_target(uint8_t target) {
    switch (target) {
    case 0:
        return (struct affine){UINT64_C(6364136223846793005), 7};
    case 1:
        return (struct affine){UINT64_C(3202034522624059733), 3};
    case 2:
        return (struct affine){UINT64_C(2862933555777941757), 1};
    case 3:
        return (struct affine){UINT64_C(1181783497276652981), 9};
    case 4:
        return (struct affine){UINT64_C(7664345821815920749), 5};
    case 5:
        return (struct affine){UINT64_C(2685821657736338717), 11};
    case 6:
        return (struct affine){UINT64_C(4685838187257060685), 13};
    default:
        return (struct affine){UINT64_C(5495347845340153373), 15};
    }
}

/* What `operations` calls make of `value`. */
static uint64_t expected(const uint8_t *target, int64_t operations, uint64_t value) {
    struct affine rest = {1, 0};
    struct affine walk = {1, 0};
    for (int i = 0; i < DISPATCH_OPERATIONS; i++) {
        if (i == operations % DISPATCH_OPERATIONS) {
            rest = walk;
        }
        walk = then(walk, of_target(target[i]));
    }
    struct affine all = {1, 0};
    for (int64_t walks = operations / DISPATCH_OPERATIONS; walks > 0; walks /= 2) {
        all = walks % 2 ? then(all, walk) : all;
        walk = then(walk, walk);
    }
    all = then(all, rest);
    return all.a * value + all.c;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (trial->threads != 1) {
        return fail(STATUS_BAD_ARGUMENT, "--threads: '%d' is not accepted by dispatch: give 1",
                    trial->threads);
    }
    const struct compiled *compiled = trial->variant->implementation;
    struct shared *s = allocate(1, sizeof *s);
    s->calls = compiled->calls;
    s->value = 1;
    dispatch_mix(compiled->targets, s->calls ? (int)trial_int(trial, "classes") : 1, s->mix,
                 s->target);
    const struct workload workload = {
        .shared = s, .prepare = prepare, .run = s->calls ? run_calls : run_inlined};
    int64_t operations = 0;
    int status = workers_run(trial, recorder, &workload, &operations);
    char wanted[32];
    char got[32];
    uint64_t value = expected(s->target, operations, 1);
    snprintf(wanted, sizeof wanted, "%" PRIu64, value);
    snprintf(got, sizeof got, "%" PRIu64, s->value);
    recorder_check(recorder, "value equals composed maps", wanted, got, value == s->value);
    free(s);
    return status;
}

const struct experiment experiment_dispatch = {
    .name = "dispatch", .variants = variants, .parameters = parameters, .run = run};
