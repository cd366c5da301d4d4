#pragma once

#include "experiment.h"

/*
 * What an operation of gc_pause does, the twin of Java's Garbage: it makes small arrays. Most are dropped at once;
 * every so many goes to the live set, from which the oldest leaves.
 */

enum {
    GARBAGE_BYTES = 100, /* of an array, as in Java with its header */
    GARBAGE_RECENT = 32,
    GARBAGE_RARE = 100, /* where something goes wrong, one of so many does */
};

/* What goes wrong in the program that tests the checks; never in any other. */
enum fault { NO_FAULT, LOSING, SKIPPING, REUSING };

struct garbage {
    enum fault fault;
    int64_t arrays; /* of an operation */
    int64_t keep_every, until_kept;
    /* Odd many, so that an array and the one whose place it takes never begin with the same byte. */
    char **live;
    int64_t places, at, kept;
    int64_t operations; /* so far */
    char *recent[GARBAGE_RECENT];
    char *only; /* REUSING: the one array */
};

static inline bool garbage_has(UNUSED const struct garbage *g, UNUSED enum fault fault) {
#ifdef LAB_BROKEN_PROGRAM
    return g->fault == fault;
#else
    return false;
#endif
}

static inline char *garbage_make(struct garbage *g) {
    if (garbage_has(g, REUSING)) {
        return g->only = g->only ? g->only : malloc(GARBAGE_BYTES);
    }
    char *array = malloc(GARBAGE_BYTES);
    if (__builtin_expect(!array, 0)) {
        die(STATUS_NO_RESOURCES, "memory: no %d bytes are left; lower --live-mb", GARBAGE_BYTES);
    }
    return array;
}

static inline void garbage_drop(const struct garbage *g, char *array) {
    if (!garbage_has(g, REUSING)) {
        free(array);
    }
}

/* Puts an array in the place of the oldest. */
static inline void garbage_keep(struct garbage *g, char *array) {
    array[0] = (char)g->kept;
    garbage_drop(g, g->live[g->at]);
    g->live[g->at] = array;
    g->at = g->at + 1 == g->places ? 0 : g->at + 1;
    g->kept++;
}

static inline void garbage_operate(struct garbage *g) {
    for (int64_t i = 0; i < g->arrays; i++) {
        char *array = garbage_make(g);
        array[0] = (char)i;
        if (--g->until_kept == 0) {
            g->until_kept = g->keep_every;
            if (garbage_has(g, LOSING) && g->kept % GARBAGE_RARE == 0) {
                garbage_drop(g, array);
                g->kept++;
            } else {
                garbage_keep(g, array);
            }
        } else {
            garbage_drop(g, g->recent[i % GARBAGE_RECENT]);
            g->recent[i % GARBAGE_RECENT] = array;
        }
    }
    g->operations++;
}

/* With the trial's sizes, and nothing in its live set. */
void garbage_init(struct garbage *g, const struct trial *trial, enum fault fault);

/* Fills the live set. By the worker: an allocator keeps what a thread made apart from what others did. */
void garbage_fill(struct garbage *g);

/* How many live arrays are where they belong: after so many operations, each the last that was put there. */
int64_t garbage_in_place(const struct garbage *g, int64_t operations);

/* Frees all that it holds. */
void garbage_end(struct garbage *g);
