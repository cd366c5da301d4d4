#pragma once

#include "clock.h"
#include "cpu.h"
#include "sequential_io_bytes.h"
#include "sequential_io_file.h"

/* The ways of doing IO, and the loop that every one of them runs. */

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

/*
 * Moves all blocks, slice by slice; `begin`, `move` and `finish` are constants wherever this is called, so that every
 * way becomes a loop of its own. The clock is read once per block boundary: the end of one block is the start of the
 * next, no moment of a slice goes unseen, and a value contains one clock read. What has to be done before the first
 * block belongs to it, and what is left after the last belongs to that one, so set-up is neither lost nor hidden.
 */
TEMPLATE void transfer(struct stream *s, void (*begin)(struct stream *), void (*move)(struct stream *, int64_t),
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

/* A direction of a way: the loop over its three functions. */
#define DIRECTION(name, begin, move, finish)                                                                           \
    static void name(struct stream *s) {                                                                               \
        transfer(s, begin, move, finish);                                                                              \
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
