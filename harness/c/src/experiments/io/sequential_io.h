#ifndef LAB_SEQUENTIAL_IO_H
#define LAB_SEQUENTIAL_IO_H

#include "clock.h"
#include "status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the files of this experiment share: a stream, and the loop that every way of doing IO runs.
 */

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

/* A way of doing IO. Its functions end the process with one line when the system refuses. */
struct way {
    bool file;                    /* needs one */
    int flags;                    /* of the file, beyond reading and writing */
    int depth;                    /* blocks of memory */
    int (*open)(struct stream *); /* before the first pass, or NULL; 0 or fail() */
    void (*close)(struct stream *);
    void (*write)(struct stream *); /* all blocks in order, timed */
    void (*read)(struct stream *);
};

extern const struct way way_write_read, way_mapped, way_direct, way_io_uring, way_cpu_loop;

#ifdef LAB_URING
#define NO_URING NULL
#else
#define NO_URING "built without liburing (Debian: liburing-dev)"
#endif

/* Bytes of a stream's file. */
static inline int64_t stream_bytes(const struct stream *s) {
    return s->blocks * (int64_t)s->block_size;
}

/* First block of slice k: sizes of slices differ by at most one block. */
static inline int64_t slice_first(const struct stream *s, int k) {
    return (int64_t)((__int128)s->blocks * k / s->slices);
}

/* The content of a file: every byte is the low byte of its position. These two work on whole
 * vectors; they prepare and check, and are never timed. */
static inline void fill(unsigned char *block, size_t size, int64_t position) {
    unsigned char next = (unsigned char)position;
    for (size_t i = 0; i < size; i++) {
        block[i] = next++;
    }
}

/* Of at most 1 MiB: 2^20 x 255 fits. */
static inline uint32_t sum_bytes(const unsigned char *block, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += block[i];
    }
    return sum;
}

/* The value, of which the compiler knows nothing any more: the loop around it stays a loop over
 * single bytes. Java's compiler makes no vectors of these loops, and the published programs went
 * byte by byte; a twin has to do the same work. What the bytes cost is measured by cpu_loop, and
 * IO without them by --fill once. */
static inline uint32_t one_at_a_time(uint32_t value) {
    __asm__("" : "+r"(value));
    return value;
}

/* Produces a block byte by byte and adds its bytes up on the way, as the published programs did. */
static inline uint32_t produce_bytes(unsigned char *block, size_t size, int64_t position) {
    uint32_t sum = 0;
    uint32_t next = (uint32_t)position;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)one_at_a_time(next++);
        block[i] = byte;
        sum += byte;
    }
    return sum;
}

static inline uint32_t check_bytes(const unsigned char *block, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = one_at_a_time(sum + block[i]);
    }
    return sum;
}

/*
 * Moves all blocks, slice by slice; `begin`, `move` and `finish` are constants wherever this is
 * called, so that every way becomes a loop of its own. The clock is read once per block boundary:
 * the end of one block is the start of the next, no moment of a slice goes unseen, and a value
 * contains one clock read. What has to be done before the first block belongs to it, and what is
 * left after the last belongs to that one, so set-up is neither lost nor hidden.
 */
static inline __attribute__((always_inline)) void transfer(struct stream *s,
                                                           void (*begin)(struct stream *),
                                                           void (*move)(struct stream *, int64_t),
                                                           void (*finish)(struct stream *)) {
    for (int k = 0; k < s->slices; k++) {
        const int64_t last = slice_first(s, k + 1);
        /* Otherwise a fast stream would be slices ahead, and "together" would mean nothing. */
        pthread_barrier_wait(s->together);
        int64_t now = clock_ns();
        s->slice[k].start_ns = now;
        if (k == 0) {
            begin(s);
        }
        for (int64_t b = slice_first(s, k); b < last; b++) {
            move(s, b);
            if (b == s->blocks - 1) {
                finish(s);
            }
            int64_t after = clock_ns();
            s->samples[b] = after - now;
            now = after;
        }
        s->slice[k].elapsed_ns = now - s->slice[k].start_ns;
    }
}

/* Bytes at `target` that are to be block b of the file: produced now, or already there. */
static inline void produce(struct stream *s, unsigned char *target, int64_t b) {
    if (!s->once) {
        s->sum += produce_bytes(target, s->block_size, b * (int64_t)s->block_size);
    }
}

/* Adds the bytes of a block that was read to the sum of its pass, or leaves that to file_sum(). */
static inline void sum_up(struct stream *s, const unsigned char *block) {
    if (!s->once) {
        s->sum += check_bytes(block, s->block_size);
    }
}

/* ---- files (sequential_io_file.c) ---- */

enum preparation { ZEROS, FALLOCATE, EXTEND, REUSE };

/* 0, or fail(): `folder` is not one (bad argument), or `bytes` are not free there. */
int file_check_space(const char *folder, int64_t bytes);

/* Opens a nameless file in `folder` as s->fd and brings it into its state before pass 1. 0 or
 * fail(). */
int file_open(struct stream *s, const char *folder, enum preparation preparation, int flags);

/* Brings the file into its state before every pass. Ends the process when it cannot. */
void file_start_pass(struct stream *s, enum preparation preparation);

/* Sum of all bytes of the file, read back one block at a time. */
uint64_t file_sum(struct stream *s);

/* Bytes that the calling thread has fetched from devices since it began, or -1 where the kernel
 * does not count them. Reading ahead and the page faults of a mapping count for the thread that
 * caused them. */
int64_t file_device_bytes(void);

/* Writes or reads one whole block at the file's position. A call may move less than was asked:
 * it goes on. Ends the process when the system refuses. */
void file_write(int fd, const unsigned char *block, size_t size);
void file_read(int fd, unsigned char *block, size_t size);

/* Ends the process: `what` failed with `error` (errno; 0: the file ended early). Any thread. */
_Noreturn void file_refuse(const char *what, int error);

#endif
