#ifndef LAB_LOAD_LOADING_H
#define LAB_LOAD_LOADING_H

#include "load/state.h"

/* What three in four iterations reach, of at least one and at most LOAD_CAPACITIES. A structure
 * whose buffer is full may be several times as fast as one that is nearly empty, and an iteration
 * may be of either kind: a load has to be one that the slower kind can bear. */
double load_sustained(const double *rates, int count);

#endif
