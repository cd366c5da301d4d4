#ifndef LAB_LOAD_WORD_H
#define LAB_LOAD_WORD_H

#include "args.h"
#include "recorder.h"

/*
 * The bare word: two threads pass a number to and fro, each by a word on a line of its own, before
 * there is anything else. It is what the hardware charges any two threads on these CPUs, there and
 * then. On a guest it changes by a factor of four within seconds, and with it whatever hands over:
 * so trials are compared whose words agree. The twin of lab.load.Word.
 *
 * Leaves the measure `word` of the trial, nanoseconds one way, five times; nothing where its
 * threads have one CPU, on which nobody can spin for the other. Asked are the CPUs of the first of
 * `producers` and of the first thread after them that has another. 0, or fail().
 */
int load_word(const struct trial *trial, int producers, struct recorder *recorder);

#endif
