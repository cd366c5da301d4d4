#include "hlog.h"
#include "allocate.h"
#include "hdr.h"
#include "status.h"
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct hlog {
    char *out, *part;
    FILE *file;
    struct clock_pair clock;
};

static char *join(const char *left, const char *right) {
    size_t size = strlen(left) + strlen(right) + 1;
    char *joined = reallocate(NULL, size);
    snprintf(joined, size, "%s%s", left, right);
    return joined;
}

/* Seconds with milliseconds, from whole milliseconds: the digits Java's %.3f prints. */
static void write_millis(FILE *log, int64_t millis) {
    fprintf(log, "%" PRId64 ".%03" PRId64, millis / 1000, millis % 1000);
}

static void write_header(struct hlog *log) {
    time_t seconds = log->clock.epoch_ms / 1000;
    struct tm local;
    char date[64];
    strftime(date, sizeof date, "%a %b %d %H:%M:%S %Z %Y", localtime_r(&seconds, &local));
    fprintf(log->file, "#[Histogram log format version 1.3]\n#[StartTime: ");
    write_millis(log->file, log->clock.epoch_ms);
    fprintf(log->file, " (seconds since epoch), %s]\n", date);
    fprintf(log->file, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                       "\"Interval_Compressed_Histogram\"\n");
}

struct hlog *hlog_open(const char *out, int *status) {
    struct hlog *log = allocate(1, sizeof *log);
    log->out = join(out, "");
    log->part = join(out, ".part");
    log->clock = clock_pair_read();
    log->file = fopen(log->part, "w");
    if (!log->file) {
        *status = fail(STATUS_NO_RESOURCES, "--out: cannot write '%s': %s", log->part, strerror(errno));
        hlog_close(log);
        return NULL;
    }
    temporary_track(log->part);
    write_header(log);
    return log;
}

struct clock_pair hlog_clock(const struct hlog *log) {
    return log->clock;
}

void hlog_line(struct hlog *log, const char *series, int64_t start_ns, int64_t elapsed_ns, const struct hdr *hdr) {
    int64_t since_open = start_ns - log->clock.monotonic_ns;
    int64_t start_ms = log->clock.epoch_ms + since_open / 1000000;
    int64_t end_ms = log->clock.epoch_ms + (since_open + elapsed_ns) / 1000000;
    /* Java prints max / 1e6 with %.3f, which rounds the decimal digits half up; printf() rounds the binary value, so
     * the same digits are made from whole microseconds here. */
    int64_t max_us = (hdr_max(hdr) + 500) / 1000;
    char *encoded = hdr_encode_base64(hdr);
    fprintf(log->file, "Tag=%s,", series);
    write_millis(log->file, start_ms);
    fputc(',', log->file);
    write_millis(log->file, end_ms - start_ms);
    fputc(',', log->file);
    write_millis(log->file, max_us);
    fprintf(log->file, ",%s\n", encoded);
    free(encoded);
}

/* A rename is durable once the folder that holds the name is on disk too. */
static void flush_folder(const char *path) {
    char *folder = join(path, "");
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[1] = '\0';
    }
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

int hlog_commit(struct hlog *log) {
    bool written = fflush(log->file) == 0 && !ferror(log->file) && fsync(fileno(log->file)) == 0;
    int error = errno;
    written = fclose(log->file) == 0 && written;
    log->file = NULL;
    if (written && rename(log->part, log->out) == 0) {
        temporary_release(log->part);
        flush_folder(log->out);
        return 0;
    }
    return fail(STATUS_NO_RESOURCES, "--out: cannot write '%s': %s", log->out, strerror(written ? errno : error));
}

void hlog_close(struct hlog *log) {
    if (log->file) {
        fclose(log->file);
    }
    free(log->out);
    free(log->part);
    free(log);
}
