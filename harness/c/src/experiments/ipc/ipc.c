/*
 * ipc: messages from one process to another, through a ring in a file that both have mapped, and through what the
 * kernel offers for it.
 *
 * A trial is two parts (harness/README.md): --role ping sends, --role pong receives. `round_trip`: pong answers every
 * message; values (rtt) are round trips, and an operation is one way. `stream`: as fast as it goes, one way; values
 * (transit) are those of every 64th message from before it was offered until after it was read. `paced`: one way at
 * --rate, values from the time a message was due. Among them every trial measures the bare word and the bare wake-up
 * (word.h). `ring_solo` is one process.
 *
 * Run both at once: head -c 4096 /dev/zero > /dev/shm/page; for part in 0 1; do
 *      [ $part = 0 ] && role=ping || role=pong
 *      harness/c/build/lab-harness ipc --variant ring --pattern round_trip --role $role
 *      --warmup 5 --iterations 25 --iteration-ms 4 --cpus $part --meet /dev/shm/page
 *      --part $part/2 --out /tmp/$part.hlog & done; wait
 * Expect: elapsed / (2 * operations) of `hop.ping` some tens of nanoseconds above that of
 * `floor.ping`; several thousand with --variant tcp.
 */
#include "ipc.h"

#define METHOD(...) &(const struct method){__VA_ARGS__}
#define DESCRIPTORS(way, spins)                                                                                        \
    METHOD(.link = &way, .run = run_descriptors, .sample_every = 1, .descriptors = true, .polled = spins)
static const struct variant variants[] = {
    {"word", NULL, METHOD(.link = &link_word, .run = run_word, .sample_every = 16)},
    {"ring", RING_UNSUPPORTED, METHOD(.link = &link_ring, .run = run_ring, .sample_every = 16)},
    {"ring_flushed", RING_UNSUPPORTED,
     METHOD(.link = &link_ring, .run = run_ring, .sample_every = 16, .flushed = true)},
    {"ring_futex", RING_UNSUPPORTED, METHOD(.link = &link_ring, .run = run_sleeper, .sample_every = 1)},
    {"ring_solo", RING_UNSUPPORTED, METHOD(.run = run_solo, .sample_every = 1, .solo = true)},
    {"pipe", NULL, DESCRIPTORS(link_pipe, false)},
    {"unix", NULL, DESCRIPTORS(link_unix, false)},
    {"tcp", NULL, DESCRIPTORS(link_tcp, false)},
    {"pipe_spin", NULL, DESCRIPTORS(link_pipe, true)},
    {"unix_spin", NULL, DESCRIPTORS(link_unix, true)},
    {"tcp_spin", NULL, DESCRIPTORS(link_tcp, true)},
    {0},
};

static const char *const patterns[] = {"round_trip", "stream", "paced", NULL};
static const char *const roles[] = {"ping", "pong", NULL};
static const char *const hints[] = {[HINT_PAUSE] = "pause", [HINT_NONE] = "none", [HINT_YIELD] = "yield", NULL};
enum { FASTEST = 10000000, MOST_AT_ONCE = 1024 };

static const struct parameter parameters[] = {
    CHOICE_PARAMETER("pattern", patterns, "round_trip"),
    CHOICE_PARAMETER("role", roles, "ping"),
    INT_PARAMETER("size", MESSAGE_SMALLEST, MESSAGE_BIGGEST, MESSAGE_USUAL),
    POWER_PARAMETER("capacity", RING_LEAST, RING_MOST, 1 << 20),
    INT_PARAMETER("rate", 1, FASTEST, 100000),
    /* 0: 16 of rings that spin and 1 of the others, and 64 in a stream. */
    INT_PARAMETER("sample-every", 0, 1 << 20, 0),
    INT_PARAMETER("writes-of", 1, MOST_AT_ONCE, 1),
    CHOICE_PARAMETER("hint", hints, "pause"),
    TEXT_PARAMETER("dir", "/dev/shm"),
    TEXT_PARAMETER("ring", ""), /* of ring_solo: a file that exists */
    {0},
};

/* A workload's `shared` begins with what its kernels get. */
struct ipc {
    struct end end;
    struct phase phases[SCHEDULE_PHASES];
};

static void prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct ipc *ipc = shared;
    struct end *end = &ipc->end;
    end->of = schedule_passes(phase_of(ipc->phases, iteration));
    end->full = end->empty = end->sending_ns = 0;
    end->in_ring = (struct in_ring){0};
}

static void measure(void *shared, const struct worker *workers, int iteration, struct recorder *recorder) {
    struct ipc *ipc = shared;
    end_account_iteration(&ipc->end, workers, iteration, phase_of(ipc->phases, iteration)->name, recorder);
}

static struct stream new_stream(int64_t capacity) {
    return (struct stream){.file = -1, .buffer = allocate((size_t)capacity, 1), .capacity = capacity};
}

static enum hint hint_of(const char *text) {
    enum hint hint = HINT_PAUSE;
    while (strcmp(hints[hint], text) != 0) {
        hint++;
    }
    return hint;
}

static void init(struct end *end, const struct trial *trial, const struct method *method) {
    const int64_t buffer = trial_int(trial, "size") * trial_int(trial, "writes-of");
    *end = (struct end){
        .meeting = meeting_of_process(),
        .role = strcmp(trial_text(trial, "role"), "ping") == 0 ? PING : PONG,
        .pattern = method_pattern(trial),
        .hint = hint_of(trial_text(trial, "hint")),
        .size = trial_int(trial, "size"),
        .sample_every = method_sample_every(method, trial),
        .rate = trial_int(trial, "rate"),
        .out.file = -1,
        .in.file = -1,
        .writes = new_stream(buffer),
        .reads = new_stream(buffer),
    };
}

/* Both ends are this thread, over one mapping of one ring. */
static int open_solo(struct end *end, const struct trial *trial, struct scratch *scratch) {
    const char *given = trial_text(trial, "ring");
    int status = given[0] ? ring_attach(&end->out, given) : link_alone(end, scratch);
    status = status ? status : ring_produce(&end->out, given);
    if (status) {
        return status;
    }
    end->in = end->out;
    end->in.file = -1;
    ring_consume(&end->in);
    if (end->in.position != end->out.position) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--ring %s: %d bytes of messages wait in it: give an empty "
                    "ring",
                    given, (int)(end->out.position - end->in.position));
    }
    return end->size > end->out.most ? fail(STATUS_BAD_ARGUMENT,
                                            "--ring %s: no room for a message of %d bytes, give "
                                            "--size %d or less",
                                            given, (int)end->size, end->out.most)
                                     : 0;
}

/* Ends that are pinned to one CPU know it of each other. */
static int open_ends(struct end *end, const struct trial *trial, const struct method *method) {
    struct scratch scratch = {.folder = trial_text(trial, "dir"), .capacity = trial_int(trial, "capacity")};
    if (method->solo) {
        return open_solo(end, trial, &scratch);
    }
    const int64_t cpu = 1 + trial_cpu(trial, 0);
    meeting_set_opaque(end->meeting, WORD_CPU + (int)end->role, cpu);
    int status = link_open(method->link, method->polled, end, &scratch);
    end->shares_cpu = cpu > 0 && meeting_get_opaque(end->meeting, WORD_CPU + 1 - (int)end->role) == cpu;
    return status;
}

static int run_iterations(struct ipc *ipc, const struct trial *trial, const struct method *method,
                          struct recorder *recorder) {
    (method->solo ? schedule_alone : schedule)(ipc->phases, trial);
    const struct workload workload = {.shared = ipc,
                                      .phases = ipc->phases,
                                      .series = "", /* the rows are those of account.c */
                                      .prepare = prepare,
                                      .run = method->run,
                                      .measure = measure,
                                      .patience_ns = trial->iteration_ns + WORKERS_GRACE_NS};
    struct flusher flusher = {0};
    const bool flushed = method->flushed && ipc->end.role == PING;
    int status = flushed ? flusher_start(&flusher, ipc->end.out.file) : 0;
    if (status) {
        return status;
    }
    status = workers_run(trial, recorder, &workload, NULL);
    if (flushed) {
        flusher_stop(&flusher, recorder);
    }
    return status;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct method *method = trial->variant->implementation;
    int status = method_accepts(method, trial);
    if (status) {
        return status;
    }
    struct ipc *ipc = allocate(1, sizeof *ipc);
    init(&ipc->end, trial, method);
    status = open_ends(&ipc->end, trial, method);
    status = status ? status : run_iterations(ipc, trial, method, recorder);
    if (status == 0) {
        end_account_trial(&ipc->end, recorder);
    }
    if (method->solo) {
        ipc->end.in = (struct ring){.file = -1}; /* the mapping is the other's */
    }
    link_close(&ipc->end);
    free(ipc);
    return status;
}

const struct experiment experiment_ipc = {.name = "ipc", .variants = variants, .parameters = parameters, .run = run};
