/*
 * The variant `idle`: a thread that does nothing but read the clock. It cuts the time into slots of --slot-us. A sample
 * is the longest gap between two readings that ends in the slot, so that a percentile is a share of time. A slot that
 * passed while the thread was away counts as well, with what was left of the absence when it began.
 *
 * Checks: the gaps add up to last minus first reading; the clock never steps back; no slot is missing.
 */
#include "clocks.h"

enum { AWAY_NS = 1000 };

struct shared {
    const struct trial *trial;
    int64_t slot_ns;
    /* Of the last iteration. */
    int64_t watched_ns, away_ns, absences;
    /* Of the trial. */
    int64_t passed, stepped, backward, slots, expected_slots;
};

static void run_idle(struct worker *worker, void *shared) {
    struct shared *s = shared;
    int64_t *const samples = worker->samples;
    const int64_t slot_ns = s->slot_ns;
    size_t sampled = 0;
    int64_t reads = 0;
    int64_t longest = 0;
    int64_t gapped = 0;
    int64_t away = 0;
    int64_t absences = 0;
    int64_t backward = 0;
    const int64_t start = clock_ns();
    int64_t last = start;
    int64_t slot_end = start + slot_ns;
    /* An absence fills as many slots as it lasts. Should they ever exceed the capacity (a second in an iteration of 4
     * ms), the check of the slots fails rather than one be left out. */
    do {
        do {
            int64_t now = clock_ns();
            int64_t gap = now - last;
            gapped += gap;
            longest = gap > longest ? gap : longest;
            if (gap > AWAY_NS) {
                away += gap;
                absences++;
            }
            backward += gap < 0;
            last = now;
            reads++;
        } while (last < slot_end);
        samples[sampled++] = longest;
        for (; last - slot_end >= slot_ns && sampled < worker->sample_capacity; slot_end += slot_ns) {
            samples[sampled++] = last - slot_end;
        }
        longest = last - slot_end;
        slot_end += slot_ns;
    } while (last - start < s->trial->iteration_ns && sampled < worker->sample_capacity);
    s->watched_ns = last - start;
    s->away_ns = away;
    s->absences = absences;
    s->passed += last - start;
    s->stepped += gapped;
    s->backward += backward;
    s->slots += (int64_t)sampled;
    s->expected_slots += (last - start) / slot_ns;
    worker->sample_count = sampled;
    worker->operations = reads;
}

static void measure(void *shared, UNUSED const struct worker *workers, int iteration, struct recorder *recorder) {
    const struct shared *s = shared;
    recorder_measure(recorder, iteration, "", "watched_ns", (double)s->watched_ns);
    recorder_measure(recorder, iteration, "", "away_ns", (double)s->away_ns);
    recorder_measure(recorder, iteration, "", "absences", (double)s->absences);
}

int clock_idle(const struct trial *trial, struct recorder *recorder) {
    struct shared s = {.trial = trial, .slot_ns = trial_int(trial, "slot-us") * 1000};
    const struct workload workload = {.shared = &s, .series = "gaps", .run = run_idle, .measure = measure};
    int status = workers_run(trial, recorder, &workload, NULL);
    recorder_check_equal(recorder, "sum of gaps equals last minus first reading", s.passed, s.stepped);
    recorder_check_equal(recorder, "steps back of a monotonic clock", 0, s.backward);
    recorder_check_equal(recorder, "slots equal time over their length", s.expected_slots, s.slots);
    return status;
}
