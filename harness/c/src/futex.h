#pragma once

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The system call behind locks and conditions, for which the C library has no function: `operation` is
 * FUTEX_WAIT_PRIVATE (sleeps while the word holds `value`) or FUTEX_WAKE_PRIVATE (wakes `value` sleepers). What it
 * returns; -1 with errno. */
static inline long futex(uint32_t *word, int operation, uint32_t value) {
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Of a word in memory that processes share: sleeps while it holds `value`, and at most so long. 0: woken; -1 with
 * errno. */
static inline long futex_sleep(uint32_t *word, uint32_t value, int64_t most_ns) {
    const struct timespec most = {most_ns / 1000000000, most_ns % 1000000000};
    return syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
}

/* Wakes one that sleeps so; how many there were. */
static inline long futex_rouse(uint32_t *word) {
    return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
