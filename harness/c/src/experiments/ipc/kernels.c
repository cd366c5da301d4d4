/* The iterations of every link: the templates of patterns.h over the functions of the link. */
#include "descriptor.h"
#include "ipc.h"
#include "patterns.h"
#include "word.h"

#include <sys/resource.h>

enum { WORD_SAMPLE_EVERY = 16, WAKE_SAMPLE_EVERY = 1 };

static inline uint8_t *ring_link_claim(struct end *end, const struct worker *worker) {
    uint8_t *payload = ring_claim(&end->out, (int32_t)end->size);
    if (__builtin_expect(!payload, 0)) {
        int left = end_patience(end);
        int pauses = 1;
        do {
            end->full++;
            end_rest(end, worker, &left, &pauses);
        } while (!ring_roomy(&end->out) || !(payload = ring_claim(&end->out, (int32_t)end->size)));
    }
    return payload;
}

static inline void ring_link_publish(struct end *end, UNUSED const struct worker *worker, UNUSED bool last) {
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

static inline void sleeper_link_publish(struct end *end, const struct worker *worker, bool last) {
    ring_link_publish(end, worker, last);
    ring_wake(&end->out);
}

/* Where the ring is empty it sleeps. */
static inline const uint8_t *sleeper_link_take(struct end *end, const struct worker *worker) {
    const uint8_t *payload;
    while (!(payload = ring_poll(&end->in))) {
        end->empty++;
        ring_announce(&end->in);
        if ((payload = ring_poll(&end->in))) {
            ring_stay(&end->in);
            break;
        }
        while (ring_sleep(&end->in, LONGEST_SLEEP_NS)) {
            meeting_end_if_hopeless(worker->deadline_ns);
        }
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

/* What this thread has used so far, less what it had used before. */
static struct used used_since(struct used before) {
    struct rusage usage;
    struct timespec cpu;
    if (getrusage(RUSAGE_THREAD, &usage) != 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) != 0) {
        return (struct used){0};
    }
    return (struct used){
        .cpu_ns = cpu.tv_sec * INT64_C(1000000000) + cpu.tv_nsec - before.cpu_ns,
        .slept = usage.ru_nvcsw - before.slept,
        .page_faults = usage.ru_minflt - before.page_faults,
    };
}

/* What this end has handed over so far: it sends or, of one-way patterns, may be who receives. */
TEMPLATE int64_t handed_over(const struct end *end) {
    const bool receives = end->role == PONG && end->pattern != ROUND_TRIP;
    return end->word.passed + end->wake.passed + (receives ? end->received.messages : end->sent.messages);
}

/*
 * A kernel works on a copy of its end, which no pointer leads to, so that positions and counts stay in registers across
 * the acquire and release of every message.
 */
#define KERNEL(name, ...)                                                                                              \
    void run_##name(struct worker *worker, void *shared) {                                                             \
        struct end *whole = shared;                                                                                    \
        struct end end = *whole;                                                                                       \
        const struct used before = used_since((struct used){0});                                                       \
        if (end.of == WORDS) {                                                                                         \
            word_run(&end, worker, WORD_SAMPLE_EVERY);                                                                 \
        } else if (end.of == WAKES) {                                                                                  \
            wake_run(&end, worker, WAKE_SAMPLE_EVERY);                                                                 \
        } else {                                                                                                       \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        end.used = used_since(before);                                                                                 \
        worker->operations = handed_over(&end) - handed_over(whole);                                                   \
        *whole = end;                                                                                                  \
    }

KERNEL(word, word_run(&end, worker, end.sample_every))
KERNEL(ring, run_pattern(&end, worker, ring_link_claim, ring_link_publish, ring_link_take, ring_link_release,
                         ring_link_behind))
KERNEL(sleeper, run_pattern(&end, worker, ring_link_claim, sleeper_link_publish, sleeper_link_take, ring_link_release,
                            ring_link_behind))
KERNEL(descriptors, run_pattern(&end, worker, descriptor_claim, descriptor_publish, descriptor_take, descriptor_release,
                                descriptor_behind))
KERNEL(solo, offer_and_take(&end, worker, ring_link_claim, ring_link_publish, ring_link_take, ring_link_release))
