#include "load/capacity.h"

#include <math.h>

enum { AT_ONCE = 2 };
static const double CHECKED = 0.9;
static const double REACH = 2; /* how far off the later search may come out */
static const double MOST = 1e9;

static double next_rate(const struct capacity *capacity) {
    if (capacity->refused == 0) {
        return capacity->borne == 0 ? capacity->at_once : fmin(MOST, 2 * capacity->borne);
    }
    return capacity->borne == 0 ? capacity->refused / 2 : sqrt(capacity->borne * capacity->refused);
}

static bool checking(const struct capacity *capacity) {
    return capacity->made >= CAPACITY_ITERATIONS - CAPACITY_CHECKS && capacity->made < CAPACITY_ITERATIONS;
}

double capacity_rate(const struct capacity *capacity) {
    if (capacity->made < AT_ONCE) {
        return 0;
    }
    return checking(capacity) ? CHECKED * capacity_found(capacity) : next_rate(capacity);
}

void capacity_ended(struct capacity *capacity, double handled, bool bears) {
    const double rate = capacity_rate(capacity);
    if (capacity->made < AT_ONCE) {
        capacity->at_once = capacity->made == 0 ? fmin(MOST, handled) : fmin(capacity->at_once, handled);
    } else if (checking(capacity)) {
        capacity->failed += !bears;
    } else if (bears) {
        capacity->borne = rate;
        capacity->doubted = false;
    } else {
        capacity->refused = capacity->doubted ? rate : capacity->refused;
        capacity->doubted = !capacity->doubted;
    }
    if (++capacity->made == CAPACITY_ITERATIONS) {
        capacity->before = capacity_found(capacity);
        capacity->borne = capacity->before / REACH;
        capacity->refused = capacity->before * REACH;
        capacity->doubted = false;
    }
}

double capacity_before(const struct capacity *capacity) {
    return capacity->made < CAPACITY_ITERATIONS ? capacity_found(capacity) : capacity->before;
}

double capacity_found(const struct capacity *capacity) {
    if (capacity->borne > 0) {
        return capacity->borne;
    }
    return capacity->refused > 0 ? fmin(capacity->at_once, capacity->refused / 2) : capacity->at_once;
}
