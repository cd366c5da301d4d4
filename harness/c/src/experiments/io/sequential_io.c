/*
 * sequential_io: a file written and read in order, block by block, by several ways.
 *
 * A pass writes all blocks and then reads all blocks; passes are the phases pass1..passN, shown apart because the first
 * meets a cold file. Each direction of a pass is one uninterrupted stretch cut into `--iterations` slices, one row
 * each; folding into histograms and writing the log wait until the direction is over, so that the kernel gets no free
 * time for its write-back. With --sync fdatasync a row of its own says what it takes until the written bytes are on the
 * disk; without it the page cache is measured (but for `direct`).
 *
 * The streams of --threads each have their own file, and start every slice together.
 *
 * Check: per pass and stream, the size of the file and the sums of all bytes produced and of all bytes read. The
 * expected sum is computed from the number of bytes alone, so it also notices bytes produced wrongly. With --fill once
 * none are produced, and those read are summed in a second, untimed reading.
 *
 * Measures: per pass, the bytes read and those of them that came from the device (the others were in the page cache).
 *
 * Run: harness/c/build/lab-harness sequential_io --variant write_read --dir /tmp --warmup 0
 *      --iterations 50 --out /tmp/x.hlog
 * Expect: blocks that take longer than those of cpu_loop, which does all but the IO, and a pass1
 * that may differ from the others.
 */
#include "sequential_io_passes.h"

#include <unistd.h>

static const struct variant variants[] = {
    {"write_read", NULL, &way_write_read}, {"mapped", NULL, &way_mapped},     {"direct", NULL, &way_direct},
    {"io_uring", NO_URING, &way_io_uring}, {"cpu_loop", NULL, &way_cpu_loop}, {0},
};

/* In the order of enum preparation. */
static const char *const preparations[] = {"zeros", "fallocate", "extend", "reuse", NULL};
static const char *const syncs[] = {"none", "fdatasync", NULL};
static const char *const fills[] = {"bytes", "once", NULL};
static const char *const directions[] = {"both", "write", NULL};

static const struct parameter parameters[] = {
    {"dir", PARAMETER_STRING, .required = true},
    INT_PARAMETER("file-size", 512, INT64_C(1) << 43, 67108864),
    POWER_PARAMETER("block-size", 512, 1 << 20, 4096),
    INT_PARAMETER("passes", 1, MAX_PASSES, 5),
    CHOICE_PARAMETER("preparation", preparations, "zeros"),
    CHOICE_PARAMETER("sync", syncs, "none"),
    CHOICE_PARAMETER("fill", fills, "bytes"),
    CHOICE_PARAMETER("directions", directions, "both"),
    {0},
};

/* What a way without a file takes of these parameters. */
static const struct {
    const char *name, *without, *why;
} of_files[] = {
    {"sync", "none", "has no file"}, {"fill", "bytes", "does nothing else"}, {"directions", "both", "has no file"}};

static int refuse(const struct trial *trial, const struct way *way, int64_t blocks) {
    if (trial->warmup != 0) {
        return trial_refuse(trial, "warmup", " by sequential_io: give 0, for pass1 is the warm-up and is kept");
    }
    if (blocks < trial->iterations) {
        return trial_refuse(trial, "iterations",
                            ": give at most %lld, for a file of --file-size has no more blocks of --block-size",
                            (long long)blocks);
    }
    for (size_t i = 0; !way->file && i < sizeof of_files / sizeof *of_files; i++) {
        if (strcmp(trial_text(trial, of_files[i].name), of_files[i].without) != 0) {
            return trial_refuse(trial, of_files[i].name, " by %s: give %s, for it %s", trial->variant->name,
                                of_files[i].without, of_files[i].why);
        }
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

static int open_stream(const struct trial *trial, struct job *job, struct stream *s, int64_t blocks) {
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
    job->stream = allocate((size_t)trial->threads, sizeof *job->stream);
    pthread_barrier_init(&job->together, NULL, (unsigned)trial->threads);
    while (job->streams < trial->threads && status == 0) {
        status = open_stream(trial, job, &job->stream[job->streams++], blocks);
    }
    if (status == 0) {
        recorder_measure(recorder, WHOLE_TRIAL, "", "file_bytes", (double)bytes);
        status = passes_run(trial, job, recorder);
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
