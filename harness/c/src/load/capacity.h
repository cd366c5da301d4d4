#pragma once

#include <stdbool.h>

/*
 * Looks for the highest rate of random arrivals that the other side bears, iteration by iteration: first all events due
 * at once, for a rate to begin at; from there doubled or halved until one rate is borne and another is not; then the
 * (geometric) middle of the two again and again. Borne is a rate at which half of the events are done soon after they
 * were due, lateness of the generator and wait in the queue together: beyond it both grow as long as it lasts.
 *
 * What is taken when all is due at once is another number, for a buffer that is full and one that is nearly empty are
 * two programs. Whether such a structure has one capacity is tried at the end, some times at nine tenths of what was
 * found. The twin of lab.load.Capacity.
 */

enum { CAPACITY_ITERATIONS = 18, CAPACITY_AFTER = 7, CAPACITY_CHECKS = 4 };

struct capacity {
    int made, failed;
    bool doubted;                   /* the rate has failed once: a stop of the host fails any */
    double at_once, borne, refused; /* events per second; `refused` 0: none was */
    double before;
};

/* Events per second of the next iteration; 0: all are due at once. */
double capacity_rate(const struct capacity *capacity);

/* An iteration has ended: `handled` events per second while they were sent, and whether half of them were done in
 * time. */
void capacity_ended(struct capacity *capacity, double handled, bool bears);

/* What was found before the measured iterations, and what was found last. */
double capacity_before(const struct capacity *capacity);
double capacity_found(const struct capacity *capacity);
