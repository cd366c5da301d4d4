#pragma once

#include "end.h"

#include <errno.h>
#include <unistd.h>

/*
 * A link over descriptors, blocking or not. A stream of bytes has no messages: an end reads until all bytes of one are
 * there. A write is of one message, or of as many as the buffer holds.
 */

/* The other end has closed: it has failed, and says why, or was killed. Ends this process when that is known. */
static _Noreturn void descriptor_closed(const struct worker *worker) {
    for (;;) {
        meeting_end_if_hopeless(worker->deadline_ns);
        usleep(1000);
    }
}

/* After a system call that moved nothing: returns where it is to be tried again. */
static void descriptor_failed(const struct worker *worker) {
    if (errno == EPIPE || errno == ECONNRESET) {
        descriptor_closed(worker);
    }
    if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
        die(STATUS_NO_RESOURCES, "a message cannot be passed: %s", strerror(errno));
    }
}

static inline uint8_t *descriptor_claim(struct end *end, UNUSED const struct worker *worker) {
    return end->writes.buffer + end->writes.end;
}

TEMPLATE void descriptor_publish(struct end *end, const struct worker *worker, bool last) {
    struct stream *out = &end->writes;
    out->end += end->size;
    if (!last && out->end < out->capacity) {
        return;
    }
    int left = end_patience(end);
    for (int64_t written = 0; written < out->end;) {
        const ssize_t count = write(out->file, out->buffer + written, (size_t)(out->end - written));
        if (count > 0) {
            written += count;
        } else {
            descriptor_failed(worker);
            end->full++;
            end_wait(end, worker, &left);
        }
    }
    out->end = 0;
}

TEMPLATE const uint8_t *descriptor_take(struct end *end, const struct worker *worker) {
    struct stream *in = &end->reads;
    if (in->end - in->begin >= end->size) {
        return in->buffer + in->begin;
    }
    memmove(in->buffer, in->buffer + in->begin, (size_t)(in->end - in->begin));
    in->end -= in->begin;
    in->begin = 0;
    int left = end_patience(end);
    while (in->end < end->size) {
        const ssize_t count = read(in->file, in->buffer + in->end, (size_t)(in->capacity - in->end));
        if (count > 0) {
            in->end += count;
        } else if (count == 0) {
            descriptor_closed(worker);
        } else {
            descriptor_failed(worker);
            end->empty++;
            end_wait(end, worker, &left);
        }
    }
    return in->buffer;
}

static inline void descriptor_release(struct end *end) {
    end->reads.begin += end->size;
}

/* What the kernel holds is not asked for. */
static inline int64_t descriptor_behind(UNUSED const struct end *end) {
    return 0;
}
