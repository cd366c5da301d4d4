#ifndef LAB_STATUS_H
#define LAB_STATUS_H

#include <stddef.h>

/* Exit statuses of the harness contract (harness/README.md). */
enum status {
    STATUS_MEASURED = 0,
    STATUS_BAD_ARGUMENT = 2,
    STATUS_UNSUPPORTED = 3,
    STATUS_CHECK_FAILED = 4,
    STATUS_NO_RESOURCES = 5,
};

/*
 * Keeps one line that names the cause and returns `status`, so that a caller can write
 * `return fail(STATUS_..., ...)`. main prints the line once, at the end. Control characters are
 * replaced: whatever a user typed, the cause stays on one line.
 */
int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line kept by the last fail(), or "". */
const char *failure(void);

/* Ends the process at once with that line: for causes no caller can do anything about. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory aligned to LAB_LINE; ends the process with STATUS_NO_RESOURCES when there is none.
 */
void *allocate(size_t count, size_t size);

/* realloc() that ends the process with STATUS_NO_RESOURCES when there is no memory. Not for memory
 * of allocate(). */
void *reallocate(void *memory, size_t bytes);

/*
 * Distance that keeps two hot words from disturbing each other: two 64-byte cache lines, because
 * the adjacent-line prefetcher of x86 fetches lines in pairs.
 */
#define LAB_LINE 128

#endif
