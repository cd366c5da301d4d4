/* The passes of sequential_io: their steps, and the rows, measures and checks of each. */
#include "sequential_io_passes.h"
#include "meeting.h"
#include "sequential_io_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows keep pointers to their phase beyond the end of passes_run(). */
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

static void prepare(void *shared, UNUSED struct worker *workers, int iteration) {
    struct job *job = shared;
    job->step = step_of(job, iteration);
    for (int i = 0; i < job->streams; i++) {
        struct stream *s = &job->stream[i];
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
            recorder_row(recorder, job->rows, phase, series, s->slice[k].start_ns, s->slice[k].elapsed_ns, count,
                         s->samples + first, (size_t)count);
        }
    }
}

/* How much of what a stream read was not in the page cache: says which regime it was. Not for a way whose requests
 * other threads carry out, the kernel's own. And how long it wrote, where a part beside it may look meanwhile. */
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

static void check_sum(const struct stream *s, const char *what, const char *phase, int i, uint64_t sum,
                      struct recorder *recorder) {
    char name[64];
    snprintf(name, sizeof name, "sum of bytes %s, %s, stream %d", what, phase, i);
    /* Blocks are multiples of 256 bytes, and 0 + 1 + ... + 255 = 32640. */
    recorder_check_equal(recorder, name, stream_bytes(s) / 256 * 32640, (int64_t)sum);
}

static void check_stream(const struct job *job, int i, const char *phase, struct recorder *recorder) {
    struct stream *s = &job->stream[i];
    char name[64];
    if (job->step == WRITE && s->fd >= 0) {
        struct stat file;
        snprintf(name, sizeof name, "file size, %s, stream %d", phase, i);
        recorder_check_equal(recorder, name, stream_bytes(s), fstat(s->fd, &file) == 0 ? (int64_t)file.st_size : -1);
    }
    if (job->step == WRITE && !s->once) {
        check_sum(s, "produced", phase, i, s->sum, recorder);
    }
    if (job->step == READ || (job->step == WRITE && !job->reads)) {
        bool summed = job->reads && !s->once;
        check_sum(s, "read", phase, i, summed ? s->sum : file_sum(s), recorder);
    }
}

static void measure(void *shared, UNUSED const struct worker *workers, int iteration, struct recorder *recorder) {
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

int passes_run(const struct trial *trial, struct job *job, struct recorder *recorder) {
    const int passes = (int)trial_int(trial, "passes");
    for (int p = 0; p < passes; p++) {
        snprintf(phases[p], sizeof phases[p], "pass%d", p + 1);
    }
    job->watched_ns = meeting_of_process()->parts > 1 ? trial->iteration_ns : 0;
    /* To the pool an iteration is a step; it times and samples nothing itself. */
    struct trial steps = *trial;
    steps.iterations = passes * steps_per_pass(job);
    steps.iteration_ns = 1;
    const struct workload workload = {.shared = job,
                                      .series = "" /* measure() writes the rows */,
                                      .prepare = prepare,
                                      .run = run_step,
                                      .measure = measure};
    const int status = workers_run(&steps, recorder, &workload, NULL);
    if (job->watched_ns) {
        recorder_check_equal(recorder, "passes that ended while a part beside still looked", 0, job->hasty);
    }
    return status;
}
