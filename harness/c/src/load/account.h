#pragma once

#include "load/state.h"
#include "recorder.h"

/* Leaves the rows and measures of an iteration. */
void account_iteration(struct load *load, struct recorder *recorder, int iteration, const char *phase);
