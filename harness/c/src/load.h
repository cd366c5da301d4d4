#ifndef LAB_LOAD_H
#define LAB_LOAD_H

#include "clock.h"
#include "cpu.h"
#include "schedule.h"
#include "work.h"
#include "workers.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A load generator: producers send numbered events on a schedule, consumers handle and check them.
 * The loop is open: an event that is late keeps its due time, none is left out, and what is due is
 * sent at once. load_pace() is the loop of a producer, load_receive() what a consumer does with an
 * event; what lies between them is the experiment's. Its functions are constants wherever the
 * templates are called, so that every variant becomes loops of its own.
 *
 * With --load or --rate a trial has the phases warmup, capacity (everything is due at the start: as
 * fast as the consumers take it, over the same code), measured (--load percent of that capacity)
 * and capacity_after. Without, it has warmup and measured, both as fast as possible, and events
 * carry no times but for one in LOAD_UNSTAMPED_EVERY.
 */

enum {
    LOAD_MOST_PRODUCERS = 16,
    LOAD_MOST_EVENTS = 1 << 23, /* of an iteration with a schedule */
    LOAD_SATURATED_EVENTS = 1 << 21,
    LOAD_UNSTAMPED_EVERY = 1024,
    LOAD_PRODUCER_SHIFT = 40, /* the part of an event's number that says whose it is */
    LOAD_SIZES = 32,
    LOAD_START_NS = 50000,    /* from the opening to the start, which is the same for all */
    LOAD_SETTLE_NS = 1000000, /* what is due before is not sampled, nor is the first tenth */
    LOAD_BATCH_EVERY = 16,    /* batches per timed one */
};

/* Phases of a trial under load, beside the usual ones. */
#define LOAD_CAPACITY "capacity"
#define LOAD_CAPACITY_AFTER "capacity_after"

/* The number of what follows the last event of a producer; its due time is how many they were. */
#define LOAD_END (-1)

/* Times are nanoseconds from the start of the iteration. The last word makes a slot of a ring half
 * a cache line: no event is spread over two. */
struct event {
    int64_t number, due, sent;
    int64_t state; /* of the slot, where a ring keeps one */
};

/* Durations of an iteration. */
struct samples {
    int64_t *values;
    int64_t count, room;
};

/* A producer. */
struct source {
    _Alignas(LAB_LINE) int64_t progress; /* events sent so far, for the one that reads occupancy */
    _Alignas(LAB_LINE) int index;
    int64_t *due;
    int64_t room;
    int64_t count;    /* of the schedule */
    int64_t settled;  /* the first event to be sampled */
    int64_t limit_ns; /* when sending ends whatever is left; INT64_MAX: with the schedule */
    int64_t sent;     /* events of this iteration */
    int64_t end_ns;   /* when the end mark was away: CLOCK_MONOTONIC */
    struct samples late;
    uint64_t random;
    int64_t look_ns; /* when to look at the occupancy next */
    int64_t occupancy, occupancy_samples;
    int64_t full, failed_offers; /* times there was no room, turns that waited for it */
};

/* What a consumer keeps of an iteration. */
struct tally {
    int64_t handled, faults, numbers, content, announced, ends;
    int64_t previous; /* when the first of a pair was done */
    int64_t latest;   /* due time of the last event */
    int64_t failed_polls, idle_looks;
    int64_t batches, batch_events; /* all */
    int64_t sizes[LOAD_SIZES];     /* batches by the power of two that their size reaches */
    int64_t timed, timed_events;   /* every LOAD_BATCH_EVERY-th */
    double batch_ns, batch_n2, batch_n_ns;
    int64_t end_ns; /* CLOCK_MONOTONIC */
    int64_t expected[LOAD_MOST_PRODUCERS];
};

struct moments {
    int64_t count;
    double ns, ns2;
};

/* A consumer. */
struct receipts {
    _Alignas(LAB_LINE) int64_t handled; /* in this iteration so far, read by the generator */
    _Alignas(LAB_LINE) struct tally tally;
    /* Written for sampled events only. */
    struct samples intended, sent, busy, idle, full;
    struct moments busy_sum, idle_sum, cut;
    int64_t backward;
    int64_t in_time, in_time_ns; /* handled until the producers' limit, as far as samples tell */
    struct work work;
};

struct load {
    /* As given. */
    const struct trial *trial;
    int percent, producers, consumers;
    double rate_given;
    bool stamped;  /* events carry times */
    bool works;    /* handling an event takes work.draws */
    bool in_order; /* each consumer sees all events of a producer, in order */
    int64_t mask;  /* sample-every - 1, of events that carry times */
    int64_t work_ns, stall_ns;
    const struct phase *phases;
    struct phase own_phases[5];
    struct arrivals arrivals;
    struct source *sources;
    struct receipts *receipts;
    /* The iteration. */
    int64_t start_ns; /* CLOCK_MONOTONIC */
    int64_t length_ns;
    int64_t stall_at; /* INT64_MAX: it does not */
    bool saturated;
    /* The trial so far. */
    double latest_capacity; /* events per second of the latest saturated iteration */
    double capacities[10], capacities_after[3];
    int capacity_count, capacity_after_count;
    bool too_many; /* more events than an iteration may have: the trial fails */
    double too_many_rate;
    int64_t sent, handled, faults, numbers_due, numbers, contents_spoilt, announced, ends, ends_due,
        latest_missed, backward, sampled;
    struct samples scratch;
    _Alignas(LAB_LINE) bool abandoned;
};

/* The parameters of an experiment under load, for its array of them. */
#define LOAD_PARAMETERS                                                                            \
    {.name = "load", .type = PARAMETER_INT, .min = 0, .max = 120, .number = 0},                    \
        {.name = "rate", .type = PARAMETER_INT, .min = 0, .max = 1000000000, .number = 0},         \
        {.name = "arrivals",                                                                       \
         .type = PARAMETER_CHOICE,                                                                 \
         .choices = load_arrivals,                                                                 \
         .text = "poisson"},                                                                       \
        {.name = "seed", .type = PARAMETER_INT, .min = 0, .max = INT64_MAX, .number = 1},          \
        {.name = "sample-every",                                                                   \
         .type = PARAMETER_INT,                                                                    \
         .min = 1,                                                                                 \
         .max = 4096,                                                                              \
         .number = 16,                                                                             \
         .power_of_two = true},                                                                    \
        {.name = "work", .type = PARAMETER_INT, .min = 0, .max = 1000000, .number = 0},            \
        {.name = "work-kind",                                                                      \
         .type = PARAMETER_CHOICE,                                                                 \
         .choices = load_work_kinds,                                                               \
         .text = "constant"},                                                                      \
        {.name = "stall-ms", .type = PARAMETER_INT, .min = 0, .max = 10000, .number = 0}
extern const char *const load_arrivals[], *const load_work_kinds[];

/* Reads the parameters and gives every side its state. `in_order`: every consumer handles all
 * events of a producer. 0, or fail(). load_close() frees it in either case. */
int load_open(struct load *load, const struct trial *trial, int producers, int consumers,
              bool in_order);
void load_close(struct load *load);

/* Parts of a workload whose `shared` begins with a struct load. */
void load_prepare(void *load, struct worker *workers, int iteration);
void load_measure(void *load, const struct worker *workers, int iteration,
                  struct recorder *recorder);

/* What three in four iterations reach, of at most ten. A structure whose buffer is full may be
 * several times as fast as one that is nearly empty, and an iteration may be of either kind: a load
 * has to be one that the slower kind can bear. */
double load_sustained(const double *rates, int count);

/* More events than an iteration may have: fail(). */
int load_refuse(double rate, int64_t iteration_ns);

/* How long an iteration may take. `queued`: events that may wait when the producers end. */
int64_t load_patience(const struct load *load, int64_t queued);

/* The checks and the measures of the whole trial. 0, or fail() where it could not go on.
 * `generator`: nothing is handed over, so what was measured is the generator's own capacity. */
int load_finish(struct load *load, struct recorder *recorder, bool generator);

/* When this iteration starts, for one of its workers. */
static inline int64_t load_start(const struct load *load, const struct worker *worker) {
    return worker->deadline_ns - load->length_ns + LOAD_START_NS;
}

static inline bool load_abandoned(const struct load *load) {
    return __atomic_load_n(&load->abandoned, __ATOMIC_RELAXED);
}

static inline void load_abandon(struct load *load) {
    __atomic_store_n(&load->abandoned, true, __ATOMIC_RELAXED);
}

/* A wait of one side for the other. */
struct patience {
    struct load *load;
    int64_t until_ns; /* then it is hopeless */
    bool oversubscribed;
    unsigned turns;
};

static inline struct patience load_patient(struct load *load, const struct worker *worker,
                                           int64_t most_ns) {
    return (struct patience){load, worker->deadline_ns + most_ns, worker->oversubscribed, 0};
}

/*
 * One turn of a wait that spins; false when it must end with nothing. With more threads than CPUs
 * the CPU is offered to the others after a short while; otherwise after a long one, for threads
 * that are not pinned may share a CPU all the same, and a guest's CPU may be taken away.
 */
static inline bool load_wait(struct patience *patience) {
    enum { YIELD_OVERSUBSCRIBED = 64, YIELD = 1 << 14, LOOK = 1 << 12 };
    cpu_relax();
    const unsigned turns = ++patience->turns;
    if (__builtin_expect(turns % YIELD_OVERSUBSCRIBED != 0, 1)) {
        return true;
    }
    if (patience->oversubscribed || turns % YIELD == 0) {
        sched_yield();
    }
    if (turns % LOOK == 0 && clock_ns() > patience->until_ns) {
        load_abandon(patience->load);
    }
    return !load_abandoned(patience->load);
}

/* Room for so many, touched, so that it costs nothing while timing. What it held is lost. */
void samples_make_room(struct samples *samples, int64_t count);

static inline void samples_add(struct samples *samples, int64_t nanos) {
    if (samples->count < samples->room) { /* it was made large enough */
        samples->values[samples->count++] = nanos;
    }
}

/* Reads how many events are on their way, and says when to do so again: about every 20 us, never
 * in step with anything. */
void load_look(const struct load *load, struct source *source, int64_t sent, int64_t now);

/* The slot for the next event once there is room; NULL: given up. */
typedef struct event *load_claim(void *shared, struct source *source, struct patience *patience);
/* Its event is written. */
typedef void load_publish(void *shared, struct source *source, struct event *slot);
/* Nothing follows for a while. */
typedef void load_flush(void *shared, struct source *source);
typedef int64_t load_clock(void);

/* The first `count` events are away, or those until the limit. Returns how many. */
static inline __attribute__((always_inline)) int64_t
load_send(struct load *load, struct source *source, struct patience *patience, void *shared,
          load_claim *claim, load_publish *publish, load_flush *flush, load_clock *clock,
          int64_t start, bool stamped, bool several) {
    const int64_t *const due = source->due;
    const int64_t mask = stamped ? load->mask : LOAD_UNSTAMPED_EVERY - 1;
    const int64_t tag = (int64_t)source->index << LOAD_PRODUCER_SHIFT;
    const int64_t count = source->count;
    const int64_t limit = source->limit_ns;
    int64_t i = 0;
    int64_t now = clock() - start;
    while (i < count) {
        if (!stamped || due[i] <= now) {
            do {
                if ((i & mask) == 0) {
                    now = clock() - start;
                    if (now >= source->look_ns) {
                        load_look(load, source, i, now);
                    }
                    if (now >= limit && i > 0) { /* some are sent, however late it is */
                        return i;
                    }
                    if (stamped && i >= source->settled) {
                        samples_add(&source->late, now - due[i]);
                    }
                }
                struct event *slot = claim(shared, source, patience);
                if (__builtin_expect(!slot, 0)) {
                    return i;
                }
                slot->number = tag | i;
                if (stamped) {
                    slot->due = due[i];
                    slot->sent = now;
                } else if ((i & mask) == 0) {
                    slot->sent = now;
                }
                publish(shared, source, slot);
                i++;
                if (several) {
                    __atomic_store_n(&source->progress, i, __ATOMIC_RELAXED);
                }
            } while (i < count && (!stamped || due[i] <= now));
            flush(shared, source);
        } else if (patience->oversubscribed) {
            sched_yield();
        }
        now = clock() - start;
        if (now >= source->look_ns) {
            load_look(load, source, i, now);
            if (load_abandoned(load)) {
                return i;
            }
        }
    }
    return i;
}

/*
 * The producer's side of an iteration: spins to an absolute schedule. One reading of the clock
 * serves all that is due, but a sampled event gets a fresh one. There is no pause in the loop:
 * reading the clock is one, and on some processors the instruction would blur arrivals by 50 ns.
 */
static inline __attribute__((always_inline)) void
load_pace(struct load *load, struct worker *worker, struct source *source, int64_t most_ns,
          void *shared, load_claim *claim, load_publish *publish, load_flush *flush, bool marks,
          bool stamped, bool several) {
    struct patience patience = load_patient(load, worker, most_ns);
    const int64_t start = load_start(load, worker);
    __atomic_store_n(&load->start_ns, start, __ATOMIC_RELAXED); /* the same by all */
    while (clock_ns() < start) {
        if (worker->oversubscribed) {
            sched_yield();
        }
    }
    source->sent = load_send(load, source, &patience, shared, claim, publish, flush, clock_ns,
                             start, stamped, several);
    if (marks) {
        struct event *slot = claim(shared, source, &patience);
        if (slot) {
            slot->number = LOAD_END;
            slot->due = source->sent;
            publish(shared, source, slot);
            flush(shared, source);
        }
    }
    source->end_ns = clock_ns();
}

/* A sampled event is done: when. Where every event is sampled, it is the first of the next pair. */
int64_t load_sample(struct load *load, struct receipts *r, const struct event *event,
                    int64_t previous, int64_t handled, int64_t start);
void load_sample_full(struct receipts *r, int64_t sojourn);

/*
 * What a consumer does with an event: the known work, the check of its number and content, and for
 * every sampled pair the clock. The first of a pair tells when the consumer was free for the
 * second, which is all that its service time needs (Lindley): c(i) - max(c(i-1), sent(i)).
 */
static inline __attribute__((always_inline)) void
load_receive(struct load *load, struct receipts *r, struct tally *t, const struct event *event,
             int64_t start, bool stamped, bool several) {
    const int64_t number = event->number;
    if (load->works) {
        work_do(&r->work, (uint64_t)number);
    }
    const int producer = several ? (int)(number >> LOAD_PRODUCER_SHIFT) : 0;
    const int64_t index = number & ((INT64_C(1) << LOAD_PRODUCER_SHIFT) - 1);
    t->faults += load->in_order ? index != t->expected[producer] : index < t->expected[producer];
    t->expected[producer] = index + 1;
    t->numbers += index;
    if (stamped) {
        t->content ^= event->due;
        t->latest = event->due;
        const int64_t place = index & load->mask;
        if (place == 0) {
            t->previous = load_sample(load, r, event, t->previous, t->handled + 1, start);
        } else if (place == load->mask) {
            t->previous = clock_ns() - start;
        }
    } else if ((index & (LOAD_UNSTAMPED_EVERY - 1)) == 0) {
        load_sample_full(r, clock_ns() - start - event->sent);
    }
    __atomic_store_n(&r->handled, ++t->handled, __ATOMIC_RELEASE);
}

/* An end mark. */
static inline void load_ended(struct tally *t, const struct event *event) {
    t->announced += event->due;
    t->ends++;
}

/* The next slot that holds an event; NULL: given up. Counts looks in vain. */
typedef struct event *load_take(void *shared, struct tally *tally, struct patience *patience);
/* Its event is copied. */
typedef void load_release(void *shared, struct event *slot);

/* The consumer's side of an iteration where events are taken one by one. */
static inline __attribute__((always_inline)) void
load_consume(struct load *load, struct worker *worker, struct receipts *r, int64_t most_ns,
             void *shared, load_take *take, load_release *release, bool stamped, bool several) {
    struct patience patience = load_patient(load, worker, most_ns);
    const int64_t start = load_start(load, worker);
    struct tally t = r->tally;
    while (t.ends < load->producers) {
        struct event *slot = take(shared, &t, &patience);
        if (__builtin_expect(!slot, 0)) {
            load_abandon(load);
            break;
        }
        const struct event event = *slot;
        release(shared, slot);
        if (__builtin_expect(event.number >= 0, 1)) {
            load_receive(load, r, &t, &event, start, stamped, several);
        } else {
            load_ended(&t, &event);
        }
    }
    t.end_ns = clock_ns();
    r->tally = t;
}

/* Where a consumer takes all there is: it has handled `events` of them since `began` (0: not
 * timed). */
static inline void load_batch(struct tally *t, int64_t events, int64_t began) {
    if (events <= 0) {
        return;
    }
    t->sizes[63 - __builtin_clzll((unsigned long long)events)]++;
    t->batches++;
    t->batch_events += events;
    if (began) {
        const double took = (double)(clock_ns() - began);
        const double size = (double)events;
        t->timed++;
        t->timed_events += events;
        t->batch_ns += took;
        t->batch_n2 += size * size;
        t->batch_n_ns += size * took;
    }
}

#endif
