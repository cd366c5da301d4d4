/*
 * The files of sequential_io. A file loses its name as soon as it is open, so that none can be left behind, whatever
 * ends the process; its blocks are freed with the last descriptor. Writing, mapping, O_DIRECT and fdatasync do not need
 * a name.
 */
#include "sequential_io_file.h"
#include "allocate.h"
#include "sequential_io_bytes.h"
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

_Noreturn void file_refuse(const char *what, int error) {
    /* Streams tend to fail together. The first speaks and ends the process; the others wait here for that, since the
     * lock is never given back. */
    static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&first);
    /* Only O_DIRECT puts conditions on size and alignment, and they depend on the device. */
    int status = error == EINVAL ? STATUS_UNSUPPORTED : STATUS_NO_RESOURCES;
    die(status, "--dir: %s failed: %s%s", what, error ? strerror(error) : "the file ended early",
        error == EINVAL ? ": direct IO may need a larger --block-size here" : "");
}

void file_write(int fd, const unsigned char *block, size_t size) {
    while (size > 0) {
        ssize_t moved = write(fd, block, size);
        if (moved <= 0) {
            file_refuse("write", errno);
        }
        block += moved;
        size -= (size_t)moved;
    }
}

void file_read(int fd, unsigned char *block, size_t size) {
    while (size > 0) {
        ssize_t moved = read(fd, block, size);
        if (moved <= 0) {
            file_refuse("read", moved < 0 ? errno : 0);
        }
        block += moved;
        size -= (size_t)moved;
    }
}

int file_check_space(const char *folder, int64_t bytes) {
    struct stat found;
    struct statvfs system;
    if (stat(folder, &found) != 0) {
        return fail(STATUS_BAD_ARGUMENT, "--dir: '%s' is not accepted: %s: give an existing folder", folder,
                    strerror(errno));
    }
    if (!S_ISDIR(found.st_mode)) {
        return fail(STATUS_BAD_ARGUMENT, "--dir: '%s' is not accepted: it is no folder: give an existing folder",
                    folder);
    }
    if (statvfs(folder, &system) != 0) {
        return fail(STATUS_NO_RESOURCES, "--dir: free space of '%s' is unknown: %s", folder, strerror(errno));
    }
    __int128 available = (__int128)system.f_bavail * system.f_frsize;
    if (available < bytes) {
        return fail(STATUS_NO_RESOURCES,
                    "--dir: '%s' has %" PRId64 " bytes free and %" PRId64
                    " are needed: give another folder, a smaller --file-size or fewer --threads",
                    folder, (int64_t)available, bytes);
    }
    return 0;
}

/* Descriptor of a new file without a name, or -1 with errno. Signals wait for the short moment in which it has one. */
static int open_nameless(const char *folder) {
    size_t size = strlen(folder) + sizeof "/lab-sequential-io-XXXXXX";
    char *path = allocate(size, 1);
    snprintf(path, size, "%s/lab-sequential-io-XXXXXX", folder);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fd = mkstemp(path);
    int error = errno;
    if (fd >= 0) {
        unlink(path);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(path);
    errno = error;
    return fd;
}

static void rewind_file(int fd) {
    if (lseek(fd, 0, SEEK_SET) != 0) {
        file_refuse("positioning", errno);
    }
}

/* The whole file through the page cache: the file system has then found room for all of it. In pieces of 4 KiB whatever
 * the block size, because their size decides how large the pieces of the page cache (folios) are that every pass will
 * then write to. */
static void write_all(const struct stream *s, bool content) {
    unsigned char piece[4096] = {0};
    if (content) {
        fill(piece, sizeof piece, 0);
    }
    rewind_file(s->fd);
    for (int64_t left = stream_bytes(s); left > 0; left -= (int64_t)sizeof piece) {
        file_write(s->fd, piece, left < (int64_t)sizeof piece ? (size_t)left : sizeof piece);
    }
}

int file_open(struct stream *s, const char *folder, enum preparation preparation, int flags) {
    s->fd = open_nameless(folder);
    if (s->fd < 0) {
        return fail(STATUS_NO_RESOURCES, "--dir: cannot make a file in '%s': %s", folder, strerror(errno));
    }
    if (preparation == ZEROS || preparation == REUSE) {
        write_all(s, preparation == REUSE);
    }
    /* On disk and clean before the first pass. A reused file is as its last user left it: dirty. */
    if (preparation == ZEROS && fsync(s->fd) != 0) {
        file_refuse("fsync", errno);
    }
    if (flags && fcntl(s->fd, F_SETFL, flags) != 0) {
        return fail(STATUS_UNSUPPORTED, "--dir: the file system of '%s' has no direct IO: %s", folder, strerror(errno));
    }
    return 0;
}

/* Allocated but never written blocks are so only until their first write: after pass 1 there would be nothing left of
 * them to measure, so the file is made anew for every pass. */
void file_start_pass(struct stream *s, enum preparation preparation) {
    if (preparation == ZEROS || preparation == REUSE) {
        return;
    }
    if (ftruncate(s->fd, 0) != 0) {
        file_refuse("ftruncate", errno);
    }
    int error = preparation == FALLOCATE ? posix_fallocate(s->fd, 0, stream_bytes(s)) : 0;
    if (error) {
        file_refuse("posix_fallocate", error);
    }
}

int64_t file_device_bytes(void) {
    FILE *counters = fopen("/proc/thread-self/io", "re");
    char line[64];
    int64_t bytes = -1;
    while (counters && fgets(line, sizeof line, counters)) {
        if (sscanf(line, "read_bytes: %" SCNd64, &bytes) == 1) {
            break;
        }
    }
    if (counters) {
        fclose(counters);
    }
    return bytes;
}

uint64_t file_sum(struct stream *s) {
    uint64_t sum = 0;
    rewind_file(s->fd);
    for (int64_t b = 0; b < s->blocks; b++) {
        file_read(s->fd, s->block, s->block_size);
        sum += sum_bytes(s->block, s->block_size);
    }
    return sum;
}
