/*
 * dispatch: value = operations[i]->map(value) over a shuffled mix of 1..8 targets.
 *
 * One operation is one call; one value is a batch of 1024 of them, because a call costs less than a clock read. The
 * clock is read once between batches (the end of one is the start of the next), so it adds about one read per 1024
 * calls. The order of the targets repeats after `period` calls: what a branch predictor can learn (dispatch.h). With
 * `chains` 8 the calls map eight values in turn and do not wait for one another (dispatch_kernel.c).
 *
 * `inlined` has no call and therefore no mix: it runs the body of the first target whatever `classes` is, so that the
 * floor can be drawn beside every mix.
 *
 * Check: the sum of what the batches returned, against one made without a call: every batch of the cycle computed from
 * the constants, written down here a second time, and counted as often as it was run.
 *
 * Run: harness/c/build/lab-harness dispatch --variant function_pointer --classes 8 --warmup 5
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: calls dearer than with --classes 1, whose target is always predicted, and the floor of
 * both in the variant inlined.
 */
#include "dispatch.h"
#include "experiment.h"

/* One compilation of the kernels, with the targets it was compiled with. */
struct compiled {
    const struct operation *targets;
    dispatch_batch *calls, *independent;
    bool inlined; /* calls nothing, whatever `classes` is */
};
#define COMPILED(build)                                                                                                \
    &(const struct compiled){dispatch_targets_##build, dispatch_calls_##build, dispatch_independent_##build, false}
#define INLINED &(const struct compiled){dispatch_targets_plain, dispatch_inlined, dispatch_inlined_independent, true}

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
    {"inlined", NULL, INLINED},
    {0},
};

static const char *const chains[] = {"1", "8", NULL};

static const struct parameter parameters[] = {
    INT_PARAMETER("classes", 1, DISPATCH_TARGETS, 1),
    POWER_PARAMETER("period", DISPATCH_SHORTEST, DISPATCH_LENGTH, DISPATCH_LENGTH),
    CHOICE_PARAMETER("chains", chains, "1"),
    {0},
};

struct shared {
    struct dispatch_mix mix;
    dispatch_batch *batch;
    int chains;
    uint32_t sum;    /* of what the batches returned */
    int64_t batches; /* so far, warm-up included */
};

/* Calls of one cycle, in batches. */
enum { PER_CYCLE = DISPATCH_LENGTH / DISPATCH_BATCH };

static void run_batches(struct worker *worker, void *shared) {
    struct shared *s = shared;
    int64_t *const samples = worker->samples;
    size_t sampled = 0;
    int64_t now = clock_ns();
    do {
        const uint32_t from = (uint32_t)(s->batches++ % PER_CYCLE * DISPATCH_BATCH);
        s->sum += s->batch(s->mix.operations + from, from);
        int64_t after = clock_ns();
        samples[sampled++] = after - now;
        now = after;
    } while (now < worker->deadline_ns && sampled < worker->sample_capacity);
    worker->sample_count = sampled;
    worker->operations = (int64_t)sampled * DISPATCH_BATCH;
}

static const struct {
    uint32_t mask, multiplier;
} constants[DISPATCH_TARGETS] = {
    {1013904223, 1664525}, {907633385, 22695477}, {1406932607, 1103515245}, {1442695041, 134775813},
    {1531011433, 214013},  {1284865837, 69069},   {1282016301, 1140671485}, {1891336453, 747796405},
};

/* What a batch from a position of the cycle on returns. Chain k makes every n-th call from k on. */
static uint32_t expected_batch(const struct shared *s, uint32_t from) {
    uint32_t sum = 0;
    for (int chain = 0; chain < s->chains; chain++) {
        uint32_t value = from + (uint32_t)chain;
        for (int i = chain; i < DISPATCH_BATCH; i += s->chains) {
            const int id = s->mix.ids[from + (uint32_t)i];
            value = (value ^ constants[id].mask) * constants[id].multiplier;
        }
        sum += value;
    }
    return sum;
}

static uint32_t expected(const struct shared *s) {
    uint32_t sum = 0;
    for (int batch = 0; batch < PER_CYCLE; batch++) {
        const int64_t times = s->batches / PER_CYCLE + (batch < s->batches % PER_CYCLE);
        sum += (uint32_t)times * expected_batch(s, (uint32_t)batch * DISPATCH_BATCH);
    }
    return sum;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    if (trial->threads != 1) {
        return trial_refuse(trial, "threads", " by dispatch: give 1");
    }
    const struct compiled *compiled = trial->variant->implementation;
    struct shared s = {
        .mix = {allocate(DISPATCH_LENGTH, sizeof *s.mix.operations), allocate(DISPATCH_LENGTH, sizeof *s.mix.ids)},
        .chains = strcmp(trial_text(trial, "chains"), "1") == 0 ? 1 : DISPATCH_CHAINS,
    };
    s.batch = s.chains == 1 ? compiled->calls : compiled->independent;
    dispatch_mix(compiled->targets, compiled->inlined ? 1 : (int)trial_int(trial, "classes"),
                 (int)trial_int(trial, "period"), &s.mix);
    const struct workload workload = {.shared = &s, .series = "calls", .run = run_batches};
    int status = workers_run(trial, recorder, &workload, NULL);
    char name[96];
    snprintf(name, sizeof name, "sum of the values after %" PRId64 " batches of %d calls", s.batches, DISPATCH_BATCH);
    recorder_check_equal(recorder, name, expected(&s), s.sum);
    free(s.mix.operations);
    free(s.mix.ids);
    return status;
}

const struct experiment experiment_dispatch = {
    .name = "dispatch", .variants = variants, .parameters = parameters, .run = run};
