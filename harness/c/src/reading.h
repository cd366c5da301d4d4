#pragma once

#include "allocate.h"

#include <stdint.h>

/*
 * Readings of the state that the CPUs of a trial are in, taken by its own pinned workers in the gap before each
 * iteration and after the last, from spinning to spinning: a CPU that sleeps may wake on another core, and what was
 * read before it slept would be of that one. On a guest nothing else tells where a CPU is, or whether somebody works on
 * the other hardware thread of its core.
 *
 * Each is the floor of a few short windows: whatever interrupts a window only adds to it. A reading takes 11 us of one
 * worker and 31 of two (Intel Xeon, 28 November 2026, 107 ns one way). JVMs take theirs by the same machine code, by
 * way of liblab_native.so, so that no compiler, no interpreter and no flag of theirs is part of it.
 */
struct reading {
    double chain_ns; /* an addition that needs the result of the one before: the core's cycle */
    double wide_ns;  /* eight that need nothing of each other: the core's width. About two cycles
                        where it is the worker's alone, four where another thread fills half of it */
    double word_ns;  /* one way of a word to the next worker's CPU; NAN: there is none */
};

/* By which a worker and the next one pass a number to and fro. Zeroed before its first use. */
struct reading_line {
    _Alignas(LAB_LINE) int64_t ping;
    _Alignas(LAB_LINE) int64_t pong;
};

/* chain_ns and wide_ns of the CPU that the caller is on; by all workers at once, as they will run. */
void reading_core(struct reading *reading);

/* word_ns, by the worker of one end while that of the other answers. NAN where it does not answer for seconds. */
double reading_ask(struct reading_line *line);
void reading_answer(struct reading_line *line);

/* The state of the CPU `other`, with the way there from `cpu`, read by two threads that live for it: of threads beside
 * the workers, which have nothing to do with each other in a gap. What was read before they slept may be of another
 * core. 0, or errno and nothing read. */
int reading_pair(int cpu, int other, struct reading *reading);
