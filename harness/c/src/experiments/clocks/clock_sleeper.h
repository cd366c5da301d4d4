#pragma once

#include "experiment.h"

/*
 * The variant `sleeper`: a thread with nothing to do that wakes up at fixed times, --period-us apart. A sample of
 * series `late` is the time from a tick to when the thread had woken up for it. Every tick has one, those included that
 * passed while it was late for an earlier one: each counts with what was left of the delay, as whatever was due then
 * would have waited.
 *
 * The control of a program that is measured in the same trial, as a part beside it: what both see is the host's. It
 * takes hardly any time of a CPU, unlike a thread that spins (`idle`). A wake-up out of sleep is in every value, some
 * 10 us in a guest, so that it sees nothing shorter.
 *
 * Checks: as many samples as ticks; no wake-up before its tick.
 */
int clock_sleeper(const struct trial *trial, struct recorder *recorder);
