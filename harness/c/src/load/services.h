#pragma once

#include "load/state.h"
#include "recorder.h"

/*
 * The service times of a trial, and how long an event is on its way to the consumer: its flight. Known when the trial
 * is over, and left then, so that nothing of it is computed between two iterations.
 *
 * An event that finds the consumer idle takes its flight and its service, one that waited only its service, from the
 * end of the one before: the flight is the difference of the medians. It occupies nobody, so event i has arrived at
 * a(i) = sent(i) + flight, and its service is c(i) - max(c(i-1), a(i)). Who was sent before the one ahead of it was
 * done, and arrived after that, has not waited: who did follows from the flight, and the flight from them. So both are
 * computed anew, beginning with no flight, until it stays.
 *
 * A consumer that sleeps is kept from the next event by being woken: there the way is part of the service.
 */

enum { SERVICES_UNKNOWN = -1 };

/* Keeps what the only consumer has sampled in an iteration that began at load->start_ns. `phase` must stay valid. */
void services_keep(struct load *load, int iteration, const char *phase, int64_t elapsed_ns, int64_t operations);

/* Leaves the rows and measures of all iterations. */
void services_leave(struct load *load, struct recorder *recorder);

/* What pairs of events tell of the flight, or SERVICES_UNKNOWN. `own`: from the sending of the second to its end;
 * `since`: from the end of the first to that of the second. */
int64_t services_flight(const struct samples *own, const struct samples *since);

void services_free(struct services *services);
