#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every step of this experiment works on: a thread with its file. */

/* One timed stretch of blocks. */
struct slice {
    int64_t start_ns, elapsed_ns;
};

/* One thread with one file of `blocks` whole blocks. */
struct stream {
    int fd;            /* -1: no file (cpu_loop) */
    size_t block_size; /* bytes */
    int64_t blocks;
    bool once;            /* bytes are neither produced nor summed while timing */
    bool grow;            /* the file is empty when a pass starts */
    unsigned char *block; /* page-aligned memory of `way.depth` blocks */
    unsigned char *map;   /* mapped: the file, during one direction */
    void *state;          /* of the way: what its `open` made */
    uint64_t sum;         /* of all bytes produced, then of all read, in this pass */
    int64_t device_bytes; /* of the direction that ran last: fetched from the device; -1 unknown */
    int slices;
    struct slice *slice;         /* of the direction that ran last */
    int64_t *samples;            /* likewise, one per block, ns */
    pthread_barrier_t *together; /* all streams meet here before each slice */
};

/* Bytes of a stream's file. */
static inline int64_t stream_bytes(const struct stream *s) {
    return s->blocks * (int64_t)s->block_size;
}

/* First block of slice k: sizes of slices differ by at most one block. */
static inline int64_t slice_first(const struct stream *s, int k) {
    return (int64_t)((__int128)s->blocks * k / s->slices);
}
/* The file of a stream. */

enum preparation { ZEROS, FALLOCATE, EXTEND, REUSE };

/* 0, or fail(): `folder` is not one (bad argument), or `bytes` are not free there. */
int file_check_space(const char *folder, int64_t bytes);

/* Opens a nameless file in `folder` as s->fd and brings it into its state before pass 1. 0 or fail(). */
int file_open(struct stream *s, const char *folder, enum preparation preparation, int flags);

/* Brings the file into its state before every pass. Ends the process when it cannot. */
void file_start_pass(struct stream *s, enum preparation preparation);

/* Sum of all bytes of the file, read back one block at a time. */
uint64_t file_sum(struct stream *s);

/* Bytes that the calling thread has fetched from devices since it began, or -1 where the kernel does not count them.
 * Reading ahead and the page faults of a mapping count for the thread that caused them. */
int64_t file_device_bytes(void);

/* Writes or reads one whole block at the file's position. A call may move less than was asked: it goes on. Ends the
 * process when the system refuses. */
void file_write(int fd, const unsigned char *block, size_t size);
void file_read(int fd, unsigned char *block, size_t size);

/* Ends the process: `what` failed with `error` (errno; 0: the file ended early). Any thread. */
_Noreturn void file_refuse(const char *what, int error);
