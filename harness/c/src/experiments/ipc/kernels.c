/* The iterations of every link: the templates of patterns.h over the functions of the link. */
#include "kernels.h"
#include "descriptor.h"
#include "patterns.h"
#include "word.h"

#include <sys/resource.h>

enum { WORD_SAMPLE_EVERY = 16 };

static inline uint8_t *ring_link_claim(struct end *end, const struct worker *worker) {
    uint8_t *payload = ring_claim(&end->out, (int32_t)end->size);
    if (__builtin_expect(!payload, 0)) {
        int left = end_patience(end);
        do {
            end->full++;
            end_wait(end, worker, &left);
        } while (!(payload = ring_claim(&end->out, (int32_t)end->size)));
    }
    return payload;
}

static inline void ring_link_publish(struct end *end, const struct worker *worker, bool last) {
    (void)worker;
    (void)last;
    ring_commit(&end->out);
}

static inline const uint8_t *ring_link_take(struct end *end, const struct worker *worker) {
    const uint8_t *payload = ring_poll(&end->in);
    if (!payload) {
        int left = end_patience(end);
        do {
            end->empty++;
            end_wait(end, worker, &left);
        } while (!(payload = ring_poll(&end->in)));
    }
    return payload;
}

static inline void ring_link_release(struct end *end) {
    ring_release(&end->in);
}

/* Padding counts as part of a message, at most one in a lap. */
static inline int64_t ring_link_behind(const struct end *end) {
    const int64_t waiting = ring_waiting(&end->in); /* less than 0 before the tail has moved */
    return waiting > 0 ? waiting / ring_record(end->size) : 0;
}

/* Of this thread so far. */
static int64_t minor_faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

/* What this end has handed over so far: it sends or, of one-way patterns, may be who receives. */
static inline __attribute__((always_inline)) int64_t handed_over(const struct end *end) {
    const bool receives = end->role == PONG && end->pattern != ROUND_TRIP;
    return end->passed + (receives ? end->received.messages : end->sent.messages);
}

/*
 * A kernel works on a copy of its end, which no pointer leads to, so that positions and counts stay
 * in registers across the acquire and release of every message.
 */
#define KERNEL(name, ...)                                                                          \
    void run_##name(struct worker *worker, void *shared) {                                         \
        struct end *whole = shared;                                                                \
        struct end end = *whole;                                                                   \
        const int64_t faults = minor_faults();                                                     \
        if (end.floor) {                                                                           \
            word_run(&end, worker, WORD_SAMPLE_EVERY);                                             \
        } else {                                                                                   \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        end.page_faults = minor_faults() - faults;                                                 \
        worker->operations = handed_over(&end) - handed_over(whole);                               \
        *whole = end;                                                                              \
    }

KERNEL(word, word_run(&end, worker, end.sample_every))
KERNEL(ring, run_pattern(&end, worker, ring_link_claim, ring_link_publish, ring_link_take,
                         ring_link_release, ring_link_behind))
KERNEL(descriptors, run_pattern(&end, worker, descriptor_claim, descriptor_publish, descriptor_take,
                                descriptor_release, descriptor_behind))
KERNEL(solo, offer_and_take(&end, worker, ring_link_claim, ring_link_publish, ring_link_take,
                            ring_link_release))
