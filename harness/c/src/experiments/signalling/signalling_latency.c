/*
 * signalling_latency: the ping-pong of handover.h between two threads that sleep while they wait.
 *
 * No wait but the spinning reference's has a time limit, for that would turn a lost signal into a slow one: a lost
 * signal leaves both threads asleep for good, where the patience of the workload sees it and ends the process. A system
 * call that fails ends it too, and so both threads.
 *
 * Run: harness/c/build/lab-harness signalling_latency --variant condition_after --threads 2
 *      --warmup 5 --iterations 50 --out /tmp/x.hlog
 * Expect: a hand-over far dearer than that of the variant spin, which wakes nobody.
 */
#include "../handover/handover.h"
#include "futex.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How one side reaches the other. */
struct channel {
    _Alignas(LAB_LINE) pthread_cond_t handed;
    uint32_t turn;    /* the word a futex waits on: the low half of the number passed last */
    int in, out;      /* descriptors: this side writes `out`, the other reads `in` */
    int64_t spurious; /* wake-ups of the other side in the whole trial, with nothing new */
};

struct shared {
    struct handover handover; /* first: passing and waiting are given it */
    _Alignas(LAB_LINE) pthread_mutex_t mutex;
    struct channel channel[2];
};

/* The signal is sent while the lock is held, and the thread that it wakes needs the lock. */
static inline void pass_inside(struct handover *h, int side, int64_t number) {
    struct shared *s = (struct shared *)h;
    pthread_mutex_lock(&s->mutex);
    h->word[side].value = number;
    pthread_cond_signal(&s->channel[side].handed);
    pthread_mutex_unlock(&s->mutex);
}

/* The lock is free before the other thread is woken. */
static inline void pass_after(struct handover *h, int side, int64_t number) {
    struct shared *s = (struct shared *)h;
    pthread_mutex_lock(&s->mutex);
    h->word[side].value = number;
    pthread_mutex_unlock(&s->mutex);
    pthread_cond_signal(&s->channel[side].handed);
}

static inline int64_t await_condition(struct handover *h, UNUSED const struct worker *worker, int side,
                                      int64_t previous) {
    struct shared *s = (struct shared *)h;
    pthread_mutex_lock(&s->mutex);
    while (h->word[side].value == previous) {
        pthread_cond_wait(&s->channel[side].handed, &s->mutex);
        s->channel[side].spurious += h->word[side].value == previous;
    }
    int64_t seen = h->word[side].value;
    pthread_mutex_unlock(&s->mutex);
    return seen;
}

static inline void pass_futex(struct handover *h, int side, int64_t number) {
    struct channel *channel = &((struct shared *)h)->channel[side];
    h->word[side].value = number;
    __atomic_store_n(&channel->turn, (uint32_t)number, __ATOMIC_RELEASE);
    if (futex(&channel->turn, FUTEX_WAKE_PRIVATE, 1) < 0) {
        die(STATUS_NO_RESOURCES, "futex: cannot wake: %s", strerror(errno));
    }
}

/* The kernel compares the word before it lets us sleep, so that a hand-over in between is seen: the wait then fails
 * with EAGAIN. */
static inline int64_t await_futex(struct handover *h, UNUSED const struct worker *worker, int side, int64_t previous) {
    struct channel *channel = &((struct shared *)h)->channel[side];
    while (__atomic_load_n(&channel->turn, __ATOMIC_ACQUIRE) == (uint32_t)previous) {
        if (futex(&channel->turn, FUTEX_WAIT_PRIVATE, (uint32_t)previous) < 0 && errno != EAGAIN && errno != EINTR) {
            die(STATUS_NO_RESOURCES, "futex: cannot wait: %s", strerror(errno));
        }
        channel->spurious += __atomic_load_n(&channel->turn, __ATOMIC_ACQUIRE) == (uint32_t)previous;
    }
    return h->word[side].value;
}

/* Pipe and eventfd alike carry the number itself. An eventfd adds what is written and a read resets it, so two numbers
 * that were not taken one by one would arrive as their sum. */
static inline void pass_descriptor(struct handover *h, int side, int64_t number) {
    ssize_t written;
    do {
        written = write(((struct shared *)h)->channel[side].out, &number, sizeof number);
    } while (written < 0 && errno == EINTR);
    if (written != sizeof number) {
        die(STATUS_NO_RESOURCES, "cannot write a number: %s", strerror(errno));
    }
}

static inline int64_t await_descriptor(struct handover *h, UNUSED const struct worker *worker, int side,
                                       UNUSED int64_t previous) {
    int64_t number;
    ssize_t got;
    do {
        got = read(((struct shared *)h)->channel[side].in, &number, sizeof number);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof number) {
        die(STATUS_NO_RESOURCES, "cannot read a number: %s", strerror(errno));
    }
    return number;
}

/* The reference: the other side watches the word and never sleeps. */
static inline void pass_spin(struct handover *h, int side, int64_t number) {
    __atomic_store_n(&h->word[side].value, number, __ATOMIC_RELEASE);
}

static inline int64_t await_spin(struct handover *h, const struct worker *worker, int side, int64_t previous) {
    return handover_spin(h, worker, &h->word[side].value, previous, false);
}

#define KERNEL(name, pass, await)                                                                                      \
    static void run_##name(struct worker *worker, void *shared) {                                                      \
        handover_run(worker, shared, pass, await);                                                                     \
    }
KERNEL(inside, pass_inside, await_condition)
KERNEL(after, pass_after, await_condition)
KERNEL(futex, pass_futex, await_futex)
KERNEL(descriptor, pass_descriptor, await_descriptor)
KERNEL(spin, pass_spin, await_spin)

#ifdef LAB_BROKEN_SIGNAL
#include "broken/signalling.h"
#endif

static bool open_eventfd(struct channel *channel) {
    channel->in = channel->out = eventfd(0, EFD_CLOEXEC);
    return channel->in >= 0;
}

static bool open_pipe(struct channel *channel) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        return false;
    }
    channel->in = ends[0];
    channel->out = ends[1];
    return true;
}

struct means {
    void (*run)(struct worker *, void *);
    bool (*open)(struct channel *); /* NULL: nothing to open */
    bool shows_spurious;
};

static const struct variant variants[] = {
    {"condition_inside", NULL, &(const struct means){run_inside, NULL, true}},
    {"condition_after", NULL, &(const struct means){run_after, NULL, true}},
    {"futex", NULL, &(const struct means){run_futex, NULL, true}},
    {"eventfd", NULL, &(const struct means){run_descriptor, open_eventfd, false}},
    {"pipe", NULL, &(const struct means){run_descriptor, open_pipe, false}},
    {"spin", NULL, &(const struct means){run_spin, NULL, false}},
#ifdef LAB_BROKEN_SIGNAL
    {"skipping", NULL, &(const struct means){run_skipping, NULL, true}},
    {"losing", NULL, &(const struct means){run_losing, NULL, true}},
#endif
    {0},
};

static const struct parameter parameters[] = {
    INT_PARAMETER("sample-every", 1, 1 << 20, 1),
    {0},
};

static int open_channels(struct shared *s, const struct trial *trial, bool (*open)(struct channel *)) {
    int status = 0;
    pthread_mutex_init(&s->mutex, NULL);
    for (int side = PING; side <= PONG; side++) {
        struct channel *channel = &s->channel[side];
        channel->in = channel->out = -1;
        pthread_cond_init(&channel->handed, NULL);
        if (!status && open && !open(channel)) {
            status = fail(STATUS_NO_RESOURCES, "%s: cannot be opened: %s", trial->variant->name, strerror(errno));
        }
    }
    return status;
}

static void close_channels(struct shared *s) {
    for (int side = PING; side <= PONG; side++) {
        struct channel *channel = &s->channel[side];
        if (channel->in >= 0) {
            close(channel->in);
        }
        if (channel->out >= 0 && channel->out != channel->in) {
            close(channel->out);
        }
        pthread_cond_destroy(&channel->handed);
    }
    pthread_mutex_destroy(&s->mutex);
}

static int run(const struct trial *trial, struct recorder *recorder) {
    const struct means *means = trial->variant->implementation;
    if (trial->threads != 2) {
        return trial_refuse(trial, "threads", ": give 2, one per side");
    }
    struct shared *s = allocate(1, sizeof *s);
    s->handover.sample_every = trial_int(trial, "sample-every");
    int status = open_channels(s, trial, means->open);
    if (!status) {
        const bool sleeps = means->run != run_spin;
        const struct workload workload = {
            .shared = s, .run = means->run, .patience_ns = sleeps ? handover_patience(&s->handover, trial) : 0};
        int64_t operations = 0;
        status = workers_run(trial, recorder, &workload, &operations);
        handover_check(&s->handover, recorder, operations);
        recorder_measure(recorder, WHOLE_TRIAL, "", "handovers", (double)operations);
        if (means->shows_spurious) {
            recorder_measure(recorder, WHOLE_TRIAL, "", "spurious_wakeups",
                             (double)(s->channel[PING].spurious + s->channel[PONG].spurious));
        }
    }
    close_channels(s);
    free(s);
    return status;
}

const struct experiment experiment_signalling_latency = {
    .name = "signalling_latency", .variants = variants, .parameters = parameters, .run = run};
