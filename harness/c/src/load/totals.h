#ifndef LAB_LOAD_TOTALS_H
#define LAB_LOAD_TOTALS_H

#include "recorder.h"

#include <stdint.h>

struct load;

/* What was sent and what was handled in a trial, which must be the same; the sum of the numbers
 * that were sent is in struct load. */
struct totals {
    int64_t sent, handled, announced, batched;
    int64_t faults;  /* events lost, repeated or out of order */
    int64_t numbers; /* sum, of what was handled */
    int64_t spoilt;  /* iterations whose due times differ */
    int64_t endless; /* iterations whose last event was not the last sent */
    int64_t samples, backward;
};

/* Adds an iteration that has ended. */
void totals_add(struct load *load);

/* Leaves the checks of the trial. */
void totals_check(const struct load *load, struct recorder *recorder);

#endif
