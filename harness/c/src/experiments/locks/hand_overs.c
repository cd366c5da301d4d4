#include "hand_overs.h"

#include <math.h>
#include <stdlib.h>

/* A run tells the time of an operation when so many were done between two readings of the clock. */
enum { TELLING = 16, FEWEST_MARKED = 8, FEWEST_PAIRS = 32 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NAN for none. Sorts `values`. */
static double median(double *values, size_t count) {
    if (count == 0) {
        return NAN;
    }
    qsort(values, count, sizeof *values, ascending);
    const size_t middle = count / 2;
    return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

static bool tells(const struct owner_run *run) {
    return run_marked(run) && run->mark_count - run->count >= TELLING;
}

static double within(const struct owner_run *run) {
    return (double)(run->mark_ns - run->ns) / (double)(run->mark_count - run->count);
}

/* Median time of an operation from a run's first entry to its mark. */
static double of_marked(const struct owner_runs *runs, double *scratch) {
    size_t size = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (tells(&runs->run[i])) {
            scratch[size++] = within(&runs->run[i]);
        }
    }
    return size < FEWEST_MARKED ? NAN : median(scratch, size);
}

static int by_tail(const void *a, const void *b) {
    const struct owner_run *x = *(const struct owner_run *const *)a;
    const struct owner_run *y = *(const struct owner_run *const *)b;
    const int64_t operations = run_tail_length(x) - run_tail_length(y);
    const int64_t by = operations ? operations : run_tail_ns(x) - run_tail_ns(y);
    return (by > 0) - (by < 0);
}

/* How much longer a tail is for an operation more, a hand-over being at the end of each: the median slope of pairs of
 * tails that are half of all apart when sorted by length (Theil 1950, the incomplete method). */
static double of_pairs(const struct owner_runs *runs, double *scratch) {
    const struct owner_run **order = allocate(runs->count + 1, sizeof *order);
    for (size_t i = 0; i < runs->count; i++) {
        order[i] = &runs->run[i];
    }
    qsort(order, runs->count, sizeof *order, by_tail);
    const size_t half = runs->count / 2;
    size_t size = 0;
    for (size_t i = 0; i < half; i++) {
        const int64_t operations = run_tail_length(order[i + half]) - run_tail_length(order[i]);
        if (operations > 0) {
            const int64_t ns = run_tail_ns(order[i + half]) - run_tail_ns(order[i]);
            scratch[size++] = (double)ns / (double)operations;
        }
    }
    free(order);
    const double slope = size < FEWEST_PAIRS ? NAN : median(scratch, size);
    return slope > 0 ? slope : NAN;
}

/* Time of an operation of a run: its own where it was timed, else that of all. */
static double each_of(const struct owner_run *run, double section) {
    return tells(run) ? within(run) : section;
}

static double most_of(const struct owner_run *run) {
    return (double)run_tail_ns(run) / (double)(run_tail_length(run) + 1);
}

/* The share of a tail that is its operations. They take what those before them did, but not so much that passing the
 * lock on would take less than one of them: an owner is quicker while nobody asks. 0 where nothing tells. */
static double tail_of(const struct owner_run *run, double section) {
    const double each = each_of(run, section);
    return isnan(each) ? 0 : (double)run_tail_length(run) * fmax(0, fmin(each, most_of(run)));
}

static void add_wait(struct hand_overs *found, const struct owner_runs *runs, size_t i) {
    const struct owner_run *run = &runs->run[i];
    const struct owner_run *before = &runs->run[run->before];
    const double end = (double)(before[1].ns - run_tail_ns(before)) + tail_of(before, found->section_ns);
    found->wait[found->waits++] = llround(fmax(0, (double)run->ns - end));
}

struct hand_overs hand_overs_of(const struct owner_runs *runs) {
    const size_t count = runs->count;
    struct hand_overs found = {.runs = count};
    double *scratch = allocate(count + 1, sizeof *scratch);
    int64_t **const columns[] = {&found.hand_over, &found.length, &found.each, &found.rest, &found.wait};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i] = allocate(count + 1, sizeof **columns[i]);
    }
    found.section_ns = of_marked(runs, scratch);
    if (isnan(found.section_ns)) {
        found.section_ns = of_pairs(runs, scratch);
    }
    double sum = 0;
    size_t returns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct owner_run *run = &runs->run[i];
        const double each = each_of(run, found.section_ns);
        const double seen = (double)run_turn(run) / (double)run_length(run);
        /* Of an atomic counter readings may be the other way round than what they are of. */
        const double passing = fmax(0, (double)run_tail_ns(run) - tail_of(run, found.section_ns));
        sum += passing;
        found.hidden += each > most_of(run);
        found.hand_over[i] = llround(passing);
        found.length[i] = run_length(run);
        found.each[i] = llround(fmax(0, isnan(each) ? seen : fmin(each, seen)));
        found.rest[i] = run_length(run) - 1;
        if (run->before >= 0) {
            add_wait(&found, runs, i);
            scratch[returns++] = (double)(run->count - runs->run[run->before + 1].count);
        }
    }
    found.mean_ns = sum / (double)count;
    found.median_between = median(scratch, returns);
    free(scratch);
    return found;
}

void hand_overs_free(struct hand_overs *found) {
    free(found->hand_over);
    free(found->length);
    free(found->each);
    free(found->rest);
    free(found->wait);
    *found = (struct hand_overs){0};
}
