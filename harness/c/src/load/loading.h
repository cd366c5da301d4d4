#pragma once

#include "load/state.h"

/* Whether half of the events of the iteration that has just ended were done soon after they were due: within a
 * twenty-fifth of its length, and ten times their work. Sorts its samples. */
bool load_bears(struct load *load);
