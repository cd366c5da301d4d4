/*
 * io_uring: a queue of a few blocks per stream, each submitted by itself and collected when its memory is needed again.
 * A value is then not the time from submission to completion but one turn of the loop, production or checking included:
 * what a block adds to the duration of the whole.
 */
#include "allocate.h"
#include "sequential_io_ways.h"
#include "status.h"

#ifdef LAB_URING
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the queue to matter, few enough that the blocks stay in the cache. */
enum { DEPTH = 8 };

struct queue {
    struct io_uring ring;
    bool pending[DEPTH]; /* block b uses memory b % DEPTH, so the queue moves in order */
};

static int open_queue(struct stream *s) {
    struct queue *queue = allocate(1, sizeof *queue);
    int error = -io_uring_queue_init(DEPTH, &queue->ring, 0);
    if (error) {
        free(queue);
        return error == ENOMEM
                   ? fail(STATUS_NO_RESOURCES, "memory for an io_uring: %s (see ulimit -l)", strerror(error))
                   : fail(STATUS_UNSUPPORTED, "this system allows no io_uring: %s", strerror(error));
    }
    s->state = queue;
    return 0;
}

static void close_queue(struct stream *s) {
    struct queue *queue = s->state;
    io_uring_queue_exit(&queue->ring);
    free(queue);
}

static unsigned char *memory_of(const struct stream *s, int64_t b) {
    return s->block + (size_t)(b % DEPTH) * s->block_size;
}

/* Waits until the memory of block b is not in use; others may complete before it. */
static void await(struct stream *s, int64_t b, const char *what) {
    struct queue *queue = s->state;
    while (queue->pending[b % DEPTH]) {
        struct io_uring_cqe *done;
        int error = -io_uring_wait_cqe(&queue->ring, &done);
        if (error == EINTR) {
            continue;
        }
        if (error || done->res != (int)s->block_size) {
            /* A file takes or gives less than a block only when it cannot do more. */
            file_refuse(what, error ? error : done->res < 0 ? -done->res : 0);
        }
        *(bool *)io_uring_cqe_get_data(done) = false;
        io_uring_cqe_seen(&queue->ring, done);
    }
}

static void submit(struct stream *s, int64_t b, bool writing) {
    struct queue *queue = s->state;
    struct io_uring_sqe *entry = io_uring_get_sqe(&queue->ring);
    uint64_t position = (uint64_t)b * s->block_size;
    if (writing) {
        io_uring_prep_write(entry, s->fd, memory_of(s, b), (unsigned)s->block_size, position);
    } else {
        io_uring_prep_read(entry, s->fd, memory_of(s, b), (unsigned)s->block_size, position);
    }
    io_uring_sqe_set_data(entry, &queue->pending[b % DEPTH]);
    queue->pending[b % DEPTH] = true;
    int submitted = io_uring_submit(&queue->ring);
    if (submitted != 1) {
        file_refuse("submission", submitted < 0 ? -submitted : EAGAIN);
    }
}

static inline void nothing(UNUSED struct stream *s) {
}

static inline void write_block(struct stream *s, int64_t b) {
    await(s, b, "write");
    produce(s, memory_of(s, b), b);
    submit(s, b, true);
}

/* The last block is over when all are. */
static inline void await_all(struct stream *s) {
    for (int64_t b = 0; b < DEPTH; b++) {
        await(s, b, "write");
    }
}

static inline void fill_queue(struct stream *s) {
    for (int64_t b = 0; b < DEPTH && b < s->blocks; b++) {
        submit(s, b, false);
    }
}

static inline void read_block(struct stream *s, int64_t b) {
    await(s, b, "read");
    sum_up(s, memory_of(s, b));
    if (b + DEPTH < s->blocks) {
        submit(s, b + DEPTH, false);
    }
}

DIRECTION(write_all, nothing, write_block, await_all)
DIRECTION(read_all, fill_queue, read_block, nothing)

const struct way way_io_uring = {
    .file = true, .depth = DEPTH, .open = open_queue, .close = close_queue, .write = write_all, .read = read_all};
#else
const struct way way_io_uring = {.file = true}; /* listed as unsupported, never run */
#endif
