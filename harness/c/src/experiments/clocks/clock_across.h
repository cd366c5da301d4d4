#pragma once

#include "experiment.h"

/*
 * The clock of two CPUs against each other. Thread 0 reads it (t1) and passes the reading to thread 1, which reads it
 * (t2) and answers, and thread 0 reads it again (t3): each reading has seen the one before, so none may lie before it,
 * which is the check. If thread 1's clock is ahead by d, its reading t2 - d was made between t1 and t3: t2 - t3 <= d <=
 * t2 - t1. Every round trip bounds d; an iteration's are taken together. A sample is a round trip, t3 - t1.
 */
int clock_across(const struct trial *trial, struct recorder *recorder);
