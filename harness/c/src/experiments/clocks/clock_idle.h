#pragma once

#include "experiment.h"

/*
 * The variant `idle`: a thread that does nothing but read the clock. It cuts the time into slots of --slot-us. A sample
 * is the longest gap between two readings that ends in the slot, so that a percentile is a share of time. A slot that
 * passed while the thread was away counts as well, with what was left of the absence when it began.
 *
 * Checks: the gaps add up to last minus first reading; the clock never steps back; no slot is missing.
 */
int clock_idle(const struct trial *trial, struct recorder *recorder);
