#pragma once

#include <stddef.h>

/*
 * Distance that keeps two hot words from disturbing each other: two 64-byte cache lines, because the adjacent-line
 * prefetcher of x86 fetches lines in pairs.
 */
#define LAB_LINE 128

/* Zeroed memory aligned to LAB_LINE; ends the process with STATUS_NO_RESOURCES when there is none. */
void *allocate(size_t count, size_t size);

/* realloc() that ends the process with STATUS_NO_RESOURCES when there is no memory. Not for memory of allocate(). */
void *reallocate(void *memory, size_t bytes);
