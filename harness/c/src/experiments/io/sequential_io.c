/*
 * sequential_io: a file written and read in order, block by block, by several ways.
 *
 * A pass writes all blocks and then reads all blocks; passes are the phases pass1..passN, shown
 * apart because the first meets a cold file. Each direction of a pass is one uninterrupted stretch
 * cut into `--iterations` slices, one row each; folding into histograms and writing the log wait
 * until the direction is over, so that the kernel gets no free time for its write-back. With
 * --sync fdatasync a row of its own says what it takes until the written bytes are on the disk;
 * without it the page cache is measured (but for `direct`).
 *
 * The streams of --threads each have their own file, and start every slice together.
 *
 * Check: per pass and stream, the size of the file and the sums of all bytes produced and of all
 * bytes read. The expected sum is computed from the number of bytes alone, so it also notices bytes
 * produced wrongly. With --fill once none are produced, and those read are summed in a second,
 * untimed reading.
 *
 * Measures: per pass, the bytes read and those of them that came from the device (the others were
 * in the page cache).
 *
 * Run: harness/c/build/lab-harness sequential_io --variant write_read --dir /tmp --warmup 0
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: blocks that take longer than those of cpu_loop, which does all but the IO, and a pass1
 * that may differ from the others.
 */
#include "sequential_io.h"
#include "experiment.h"
#include "meeting.h"
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PASSES = 100 };

static const struct variant variants[] = {
    {"write_read", NULL, &way_write_read}, {"mapped", NULL, &way_mapped},
    {"direct", NULL, &way_direct},         {"io_uring", NO_URING, &way_io_uring},
    {"cpu_loop", NULL, &way_cpu_loop},     {0},
};

/* In the order of enum preparation. */
static const char *const preparations[] = {"zeros", "fallocate", "extend", "reuse", NULL};
static const char *const syncs[] = {"none", "fdatasync", NULL};
static const char *const fills[] = {"bytes", "once", NULL};
static const char *const directions[] = {"both", "write", NULL};

static const struct parameter parameters[] = {
    {"dir", PARAMETER_STRING, .required = true},
    {"file-size", PARAMETER_INT, .min = 512, .max = INT64_C(1) << 43, .number = 67108864},
    {"block-size", PARAMETER_INT, .min = 512, .max = 1 << 20, .number = 4096, .power_of_two = true},
    {"passes", PARAMETER_INT, .min = 1, .max = MAX_PASSES, .number = 5},
    {"preparation", PARAMETER_CHOICE, .choices = preparations, .text = "zeros"},
    {"sync", PARAMETER_CHOICE, .choices = syncs, .text = "none"},
    {"fill", PARAMETER_CHOICE, .choices = fills, .text = "bytes"},
    {"directions", PARAMETER_CHOICE, .choices = directions, .text = "both"},
    {0},
};

/* What the workers do together: one step of a pass. */
enum step { WRITE, SYNC, READ };

struct job {
    const struct way *way;
    enum preparation preparation;
    bool sync, reads;
    int streams;
    struct stream *stream;
    enum step step;     /* set before each, read by all */
    int rows;           /* iterations written so far */
    int64_t watched_ns; /* of each pass, by a part beside this one */
    int hasty;          /* passes that ended before */
    pthread_barrier_t together;
};

/* Rows keep pointers to their phase beyond the end of run(). */
static char phases[MAX_PASSES][16];

static int steps_per_pass(const struct job *job) {
    return 1 + job->sync + job->reads;
}

static enum step step_of(const struct job *job, int iteration) {
    int step = iteration % steps_per_pass(job);
    return step == 0 ? WRITE : job->sync && step == 1 ? SYNC : READ;
}

#ifdef LAB_BROKEN_IO
/* Between writing and reading, the first byte changes: the check has to notice. */
static void corrupt(struct stream *s) {
    if (s->fd < 0) {
        s->block[0] ^= 1;
        return;
    }
    int flags = fcntl(s->fd, F_GETFL);
    fcntl(s->fd, F_SETFL, flags & ~O_DIRECT);
    if (pwrite(s->fd, "\1", 1, 0) != 1) {
        file_refuse("corruption", errno);
    }
    fcntl(s->fd, F_SETFL, flags);
}
#endif

static void prepare(void *shared, struct worker *workers, int iteration) {
    struct job *job = shared;
    job->step = step_of(job, iteration);
    for (int i = 0; i < job->streams; i++) {
        struct stream *s = &job->stream[i];
        workers[i].series[0] = '\0'; /* measure() writes the rows */
        s->sum = 0;
        if (job->step == WRITE) {
            if (s->fd >= 0) {
                file_start_pass(s, job->preparation);
            }
            for (int d = 0; s->once && d < job->way->depth; d++) {
                fill(s->block + (size_t)d * s->block_size, s->block_size, 0);
            }
        }
    }
#ifdef LAB_BROKEN_IO
    if (job->step == READ) {
        corrupt(&job->stream[0]);
    }
#endif
}

static void flush(struct stream *s) {
    s->slice[0].start_ns = clock_ns();
    if (fdatasync(s->fd) != 0) {
        file_refuse("fdatasync", errno);
    }
    s->slice[0].elapsed_ns = clock_ns() - s->slice[0].start_ns;
    s->samples[0] = s->slice[0].elapsed_ns;
}

static void run_step(struct worker *worker, void *shared) {
    struct job *job = shared;
    struct stream *s = &job->stream[worker->index];
    if (job->step == WRITE) {
        job->way->write(s);
    } else if (job->step == READ) {
        int64_t before = file_device_bytes();
        job->way->read(s);
        s->device_bytes = before < 0 ? before : file_device_bytes() - before;
    } else {
        flush(s);
    }
}

static void write_rows(struct job *job, const char *phase, struct recorder *recorder) {
    static const char *const names[] = {[WRITE] = "write", [SYNC] = "sync", [READ] = "read"};
    int slices = job->step == SYNC ? 1 : job->stream[0].slices;
    for (int k = 0; k < slices; k++, job->rows++) {
        for (int i = 0; i < job->streams; i++) {
            const struct stream *s = &job->stream[i];
            int64_t first = slice_first(s, k);
            int64_t count = job->step == SYNC ? 1 : slice_first(s, k + 1) - first;
            char series[SERIES_LENGTH];
            snprintf(series, sizeof series, "%s.t%d", names[job->step], i);
            recorder_row(recorder, job->rows, phase, series, s->slice[k].start_ns,
                         s->slice[k].elapsed_ns, count, s->samples + first, (size_t)count);
        }
    }
}

/* How much of what a stream read was not in the page cache: says which regime it was. Not for a
 * way whose requests other threads carry out, the kernel's own. And how long it wrote, where a part
 * beside it may look meanwhile. */
static void write_measures(struct job *job, int i, int first_row, struct recorder *recorder) {
    const struct stream *s = &job->stream[i];
    if (job->step == READ && s->fd >= 0 && s->device_bytes >= 0 && job->way != &way_io_uring) {
        char series[SERIES_LENGTH];
        snprintf(series, sizeof series, "read.t%d", i);
        recorder_measure(recorder, first_row, series, "read_bytes", (double)stream_bytes(s));
        recorder_measure(recorder, first_row, series, "device_read_bytes", (double)s->device_bytes);
    }
    if (job->step == WRITE && !job->reads) {
        const struct slice *last = &s->slice[s->slices - 1];
        int64_t taken_ns = last->start_ns + last->elapsed_ns - s->slice[0].start_ns;
        char series[SERIES_LENGTH];
        snprintf(series, sizeof series, "write.t%d", i);
        recorder_measure(recorder, first_row, series, "write_ns", (double)taken_ns);
        job->hasty += taken_ns < job->watched_ns;
    }
}

static void check_sum(const struct stream *s, const char *what, const char *phase, int i,
                      uint64_t sum, struct recorder *recorder) {
    char name[64];
    snprintf(name, sizeof name, "sum of bytes %s, %s, stream %d", what, phase, i);
    /* Blocks are multiples of 256 bytes, and 0 + 1 + ... + 255 = 32640. */
    recorder_check_equal(recorder, name, stream_bytes(s) / 256 * 32640, (int64_t)sum);
}

static void check_stream(const struct job *job, int i, const char *phase,
                         struct recorder *recorder) {
    struct stream *s = &job->stream[i];
    char name[64];
    if (job->step == WRITE && s->fd >= 0) {
        struct stat file;
        snprintf(name, sizeof name, "file size, %s, stream %d", phase, i);
        recorder_check_equal(recorder, name, stream_bytes(s),
                             fstat(s->fd, &file) == 0 ? (int64_t)file.st_size : -1);
    }
    if (job->step == WRITE && !s->once) {
        check_sum(s, "produced", phase, i, s->sum, recorder);
    }
    if (job->step == READ || (job->step == WRITE && !job->reads)) {
        bool summed = job->reads && !s->once;
        check_sum(s, "read", phase, i, summed ? s->sum : file_sum(s), recorder);
    }
}

static void measure(void *shared, const struct worker *workers, int iteration,
                    struct recorder *recorder) {
    (void)workers;
    struct job *job = shared;
    const char *phase = phases[iteration / steps_per_pass(job)];
    int first_row = job->rows;
    write_rows(job, phase, recorder);
#ifdef LAB_BROKEN_IO
    if (!job->reads) {
        corrupt(&job->stream[0]);
    }
#endif
    for (int i = 0; i < job->streams; i++) {
        write_measures(job, i, first_row, recorder);
        check_stream(job, i, phase, recorder);
    }
}

static int refuse(const struct trial *trial, const struct way *way, int64_t blocks) {
    if (trial->warmup != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--warmup: '%d' is not accepted by sequential_io: give 0, for pass1 is the "
                    "warm-up and is kept",
                    trial->warmup);
    }
    if (blocks < trial->iterations) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--iterations: '%d' is not accepted: give at most %lld, for a file of "
                    "--file-size has no more blocks of --block-size",
                    trial->iterations, (long long)blocks);
    }
    if (!way->file && strcmp(trial_text(trial, "sync"), "none") != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--sync: '%s' is not accepted by %s: give none, for it "
                    "has no file",
                    trial_text(trial, "sync"), trial->variant->name);
    }
    if (!way->file && strcmp(trial_text(trial, "fill"), "bytes") != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--fill: '%s' is not accepted by %s: give bytes, for it "
                    "does nothing else",
                    trial_text(trial, "fill"), trial->variant->name);
    }
    if (!way->file && strcmp(trial_text(trial, "directions"), "both") != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--directions: '%s' is not accepted by %s: give both, for it has no file",
                    trial_text(trial, "directions"), trial->variant->name);
    }
    return 0;
}

static enum preparation preparation_of(const struct trial *trial) {
    int which = ZEROS;
    while (preparations[which] != trial_text(trial, "preparation")) {
        which++;
    }
    return (enum preparation)which;
}

static int open_stream(const struct trial *trial, struct job *job, struct stream *s,
                       int64_t blocks) {
    *s = (struct stream){.fd = -1,
                         .block_size = (size_t)trial_int(trial, "block-size"),
                         .blocks = blocks,
                         .once = strcmp(trial_text(trial, "fill"), "once") == 0,
                         .grow = job->preparation == EXTEND,
                         .slices = trial->iterations,
                         .together = &job->together};
    s->slice = allocate((size_t)s->slices, sizeof *s->slice);
    s->samples = allocate((size_t)blocks, sizeof *s->samples);
    size_t bytes = (size_t)job->way->depth * s->block_size;
    if (posix_memalign((void **)&s->block, 4096, bytes) != 0) {
        return fail(STATUS_NO_RESOURCES, "memory: %zu bytes needed and not available", bytes);
    }
    if (job->way->file) {
        int status = file_open(s, trial_text(trial, "dir"), job->preparation, job->way->flags);
        if (status) {
            return status;
        }
    }
    return job->way->open ? job->way->open(s) : 0;
}

static void close_stream(const struct way *way, struct stream *s) {
    if (s->state) {
        way->close(s);
    }
    if (s->fd >= 0) {
        close(s->fd);
    }
    free(s->block);
    free(s->samples);
    free(s->slice);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct way *way = trial->variant->implementation;
    /* Whole blocks only: every value stands for the same number of bytes. */
    int64_t blocks = trial_int(trial, "file-size") / trial_int(trial, "block-size");
    int64_t bytes = blocks * trial_int(trial, "block-size");
    int status = refuse(trial, way, blocks);
    if (status == 0 && way->file) {
        status = file_check_space(trial_text(trial, "dir"), bytes * trial->threads);
    }
    if (status) {
        return status;
    }
    struct job *job = allocate(1, sizeof *job);
    job->way = way;
    job->preparation = preparation_of(trial);
    job->sync = strcmp(trial_text(trial, "sync"), "fdatasync") == 0;
    job->reads = strcmp(trial_text(trial, "directions"), "both") == 0;
    job->watched_ns = meeting_of_process()->parts > 1 ? trial->iteration_ns : 0;
    job->stream = allocate((size_t)trial->threads, sizeof *job->stream);
    pthread_barrier_init(&job->together, NULL, (unsigned)trial->threads);
    int passes = (int)trial_int(trial, "passes");
    for (int p = 0; p < passes; p++) {
        snprintf(phases[p], sizeof phases[p], "pass%d", p + 1);
    }
    while (job->streams < trial->threads && status == 0) {
        status = open_stream(trial, job, &job->stream[job->streams++], blocks);
    }
    if (status == 0) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "file_bytes", (double)bytes);
        /* To the pool an iteration is a step; it times and samples nothing itself. */
        struct trial steps = *trial;
        steps.iterations = passes * steps_per_pass(job);
        steps.iteration_ns = 1;
        const struct workload workload = {
            .shared = job, .prepare = prepare, .run = run_step, .measure = measure};
        status = workers_run(&steps, recorder, &workload, NULL);
        if (job->watched_ns) {
            recorder_check_equal(recorder, "passes that ended while a part beside still looked", 0,
                                 job->hasty);
        }
    }
    for (int i = 0; i < job->streams; i++) {
        close_stream(way, &job->stream[i]);
    }
    pthread_barrier_destroy(&job->together);
    free(job->stream);
    free(job);
    return status;
}

const struct experiment experiment_sequential_io = {
    .name = "sequential_io", .variants = variants, .parameters = parameters, .run = run};
