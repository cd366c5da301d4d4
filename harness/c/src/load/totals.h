#pragma once

#include "load/state.h"
#include "recorder.h"

/* Adds an iteration that has ended. */
void totals_add(struct load *load);

/* Leaves the checks of the trial. */
void totals_check(const struct load *load, struct recorder *recorder);
