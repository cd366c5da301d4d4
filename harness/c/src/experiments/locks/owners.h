#ifndef LAB_OWNERS_H
#define LAB_OWNERS_H

#include <stddef.h>
#include <stdint.h>

/* Marks an operation of a window that no thread has signed. */
#define OWNER_NONE UINT16_MAX

/* What a window of consecutive operations says about who held the lock. */
struct owner_summary {
    int64_t operations; /* signed operations in the window */
    int64_t runs;       /* maximal stretches of one owner; operations / runs = mean run length B */
    int64_t reacquires; /* pairs of consecutive runs of the same owner; 0 with one owner */
    double median_between; /* median number of others' operations between such a pair */
};

/*
 * Summarises `owner[0..count)`: entry k is the index (0..threads-1) of the thread that did the
 * k-th operation; OWNER_NONE is skipped. `gaps` is scratch space for `count` values.
 */
struct owner_summary owners_summarise(const uint16_t *owner, size_t count, int threads,
                                      int64_t *gaps);

#endif
