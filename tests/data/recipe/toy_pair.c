/*
 * toy_pair: two processes hand a number to and fro over two words of the page they meet on, the
 * least that has parts.
 *
 * Run both at once: head -c 4096 /dev/zero > /dev/shm/page; for part in 0 1; do
 *      harness/c/build/lab-harness toy_pair --variant words --warmup 5 --iterations 50
 *      --meet /dev/shm/page --part $part/2 --out /tmp/$part.hlog & done; wait
 * Expect: a hand-over of some hundred nanoseconds.
 */
#include "clock.h"
#include "cpu.h"
#include "experiment.h"
#include "meeting.h"
#include "workers.h"

/* Words of the page. PASSED: the number as each part passed it on, negative in the last turn of an
 * iteration; COUNT: how often each part has passed it on, set before it does. */
enum { PASSED = 0, COUNT = 2, PATIENCE = 1 << 15 };

struct part {
    const struct meeting *meeting;
    int64_t number, faults;
};

static void pass(struct part *p, int64_t passed) {
    p->number++;
    meeting_set_opaque(p->meeting, COUNT + p->meeting->part, p->number);
    meeting_set_release(p->meeting, PASSED + p->meeting->part, passed);
}

static int64_t await(const struct part *p, int64_t previous, int64_t deadline_ns) {
    int left = PATIENCE;
    int64_t seen;
    while ((seen = meeting_get_acquire(p->meeting, PASSED + 1 - p->meeting->part)) == previous) {
        cpu_relax();
        if (--left == 0) {
            sched_yield();
            meeting_end_if_hopeless(deadline_ns);
            left = PATIENCE;
        }
    }
    return seen;
}

static void ping(struct worker *worker, struct part *p) {
    size_t sampled = 0;
    bool last;
    do {
        int64_t start = clock_ns();
        last = start >= worker->deadline_ns || sampled + 1 == worker->sample_capacity;
        int64_t passed = last ? -p->number - 1 : p->number + 1;
        int64_t previous = meeting_get_opaque(p->meeting, PASSED + 1);
        pass(p, passed);
        p->faults += await(p, previous, worker->deadline_ns) != passed;
        worker->samples[sampled++] = clock_ns() - start;
    } while (!last);
    worker->sample_count = sampled;
}

static void pong(struct worker *worker, struct part *p) {
    int64_t previous = meeting_get_opaque(p->meeting, PASSED + 1);
    do {
        previous = await(p, previous, worker->deadline_ns);
        p->faults += (previous < 0 ? -previous : previous) != p->number + 1;
        pass(p, previous);
    } while (previous > 0);
}

static void hand_over(struct worker *worker, void *shared) {
    struct part *p = shared;
    int64_t before = p->number;
    if (p->meeting->part == 0) {
        ping(worker, p);
    } else {
        pong(worker, p);
    }
    worker->operations = p->number - before;
}

static int run(const struct trial *trial, struct recorder *recorder) {
    struct part part = {.meeting = meeting_of_process()};
    if (part.meeting->parts != 2) {
        return fail(STATUS_BAD_ARGUMENT, "--part %d/%d: a toy_pair is two parts",
                    part.meeting->part, part.meeting->parts);
    }
    const struct workload workload = {.shared = &part, .run = hand_over};
    int status = workers_run(trial, recorder, &workload, NULL);
    recorder_check_equal(recorder, "hand-overs lost, repeated or out of order", 0, part.faults);
    recorder_check_equal(recorder, "the other part passed it on as often", part.number,
                         meeting_get_opaque(part.meeting, COUNT + 1 - part.meeting->part));
    return status;
}

static const struct variant variants[] = {{.name = "words"}, {0}};

const struct experiment experiment_toy_pair = {
    .name = "toy_pair", .variants = variants, .parameters = NULL, .run = run};
