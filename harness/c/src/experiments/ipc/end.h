#pragma once

#include "experiment.h"
#include "meeting.h"
#include "message.h"
#include "ring.h"

/*
 * One end of what is measured: this process. It sends, receives or both, over a link, which is rings or descriptors (a
 * pipe's or a socket's). The patterns of patterns.h are templates over the functions of a link, given as constants, so
 * that every kind of link becomes loops of its own.
 */

enum role { PING, PONG };
enum pattern { ROUND_TRIP, STREAM, PACED };
enum hint { HINT_PAUSE, HINT_NONE, HINT_YIELD }; /* what every turn of a wait does besides */
enum passed { MESSAGES, WORDS, WAKES };          /* what the iteration is of */

/* Words of the meeting page, see docs/formats.md. */
enum {
    WORD_PASSED = 0, /* + role */
    WORD_KEY = 2,
    WORD_READY = 3,
    WORD_CPU = 4,  /* + role */
    WORD_WAKE = 6, /* + role */
};

/* How long who sleeps does so before it looks whether the other end is still there. */
enum { LONGEST_SLEEP_NS = 100000000 };

/* A descriptor and what was read from it, or will be written to it, in one system call. */
struct stream {
    int file;
    uint8_t *buffer;
    int64_t capacity; /* of the buffer: as many messages as a write is of */
    int64_t begin;    /* of what was read and not yet taken */
    int64_t end;      /* of what was read, or is to be written */
};

/* What one direction has carried so far in the trial. */
struct traffic {
    int64_t messages;
    int64_t sequence; /* of the last */
    int64_t faults;   /* the sequence did not go on with the next */
    int64_t sum;      /* of all words */
    int64_t wrong;    /* iterations at whose end the sums of both ends differed */
};

/* Numbers passed to and fro without messages. */
struct passing {
    int64_t passed;
    int64_t seen; /* of the other's word */
    int64_t lost;
};

/* What an iteration took of its thread: CPU time, sleeps, minor page faults. */
struct used {
    int64_t cpu_ns, slept, page_faults;
};

/*
 * How many messages were behind those that were sampled, over time: an integral, by trapezoids from when the first was
 * sent, and from sample to sample, and the nanoseconds that it is over. A mean over the samples would count a ring that
 * is being emptied, of which many come in a short time, more than one that lies full.
 */
struct in_ring {
    int64_t since_ns, behind;
    double sum;
    int64_t over_ns;
};

struct end {
    const struct meeting *meeting;
    enum role role;
    enum pattern pattern;
    enum hint hint;
    bool shares_cpu; /* with the other end, so that who spins keeps it from going on */
    int64_t size;
    int64_t sample_every;
    int64_t rate;
    /* The link: two rings, or two descriptors, which may be the same. */
    struct ring out, in;
    struct stream writes, reads;
    /* Of the trial. */
    struct traffic sent, received;
    struct passing word, wake; /* the bare word, the bare wake-up */
    int64_t early;             /* messages that arrived before they were sent */
    int64_t not_empty;         /* iterations after which a ring was */
    /* Of the iteration. */
    enum passed of;
    int64_t full, empty; /* failed offers, empty polls */
    struct in_ring in_ring;
    int64_t sending_ns; /* paced: how long sending took, in all */
    struct used used;
};

/* Turns of a wait before it looks around. */
static inline int end_patience(const struct end *end) {
    return end->shares_cpu ? 64 : 1 << 15;
}

/*
 * One turn of a wait that spins, of which `left`, at first end_patience(), counts down. Now and then it offers the CPU,
 * for the other end may be on the same one: soon where that is known, else after a wait far longer than a hop; and it
 * asks whether the other end may still come.
 */
TEMPLATE void end_wait(const struct end *end, const struct worker *worker, int *left) {
    if (end->hint == HINT_PAUSE) {
        cpu_relax();
    } else if (end->hint == HINT_YIELD) {
        sched_yield();
    }
    if (__builtin_expect(--*left == 0, 0)) {
        sched_yield();
        meeting_end_if_hopeless(worker->deadline_ns);
        *left = end_patience(end);
    }
}

/*
 * One turn of the wait for room in a ring that is full, with a pause that doubles, from one turn of `*pauses` on: every
 * look takes the line of the consumer's index away from it.
 */
static inline void end_rest(const struct end *end, const struct worker *worker, int *left, int *pauses) {
    enum { MOST_PAUSES = 1024 };
    for (int i = 0; i < *pauses; i++) {
        cpu_relax();
    }
    *left -= *pauses;
    if (*left <= 0) {
        sched_yield();
        meeting_end_if_hopeless(worker->deadline_ns);
        *left = end_patience(end);
    }
    *pauses = *pauses < MOST_PAUSES ? 2 * *pauses : MOST_PAUSES;
}

/* Bytes where the next message is to be written, once there is room. */
typedef uint8_t *link_claim(struct end *end, const struct worker *worker);

/* It has been written. `last`: nothing follows in this iteration. */
typedef void link_publish(struct end *end, const struct worker *worker, bool last);

/* The next message, once it is there, and until it is released. */
typedef const uint8_t *link_take(struct end *end, const struct worker *worker);
typedef void link_release(struct end *end);

/* Messages that were sent since the one in hand, as far as can be seen; -1: not at all. */
typedef int64_t link_behind(const struct end *end);

TEMPLATE void end_send(struct end *end, const struct worker *worker, int32_t kind, int64_t time, link_claim *claim,
                       link_publish *publish) {
    uint8_t *payload = claim(end, worker);
    struct traffic *sent = &end->sent;
    const int64_t carried = kind == KIND_LAST ? sent->sum : time;
    sent->sum =
        (int64_t)((uint64_t)sent->sum + (uint64_t)message_write(payload, end->size, kind, ++sent->sequence, carried));
    sent->messages++;
    publish(end, worker, kind == KIND_LAST);
}

/* Counts what is not as it should be, and goes on: the checks tell it at the end. But where a kind is none, the last
 * message of the iteration may have been missed: that ends the process. */
TEMPLATE struct message end_receive(struct end *end, const struct worker *worker, link_take *take,
                                    link_release *release) {
    const struct message message = message_read(take(end, worker), end->size);
    struct traffic *received = &end->received;
    release(end);
    received->messages++;
    received->faults += message.sequence != received->sequence + 1;
    received->sequence = message.sequence;
    if (__builtin_expect(message.kind != KIND_MESSAGE, 0)) {
        if (message.kind != KIND_LAST) {
            die(STATUS_CHECK_FAILED, "what came after message %" PRId64 " is none: kind %" PRId32 ", sequence %" PRId64,
                received->messages - 1, message.kind, message.sequence);
        }
        received->wrong += message.time != message_narrowed(end->size, received->sum);
    }
    received->sum = (int64_t)((uint64_t)received->sum + (uint64_t)message.sum);
    return message;
}
