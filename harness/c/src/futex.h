#ifndef LAB_FUTEX_H
#define LAB_FUTEX_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call behind locks and conditions, for which the C library has no function: `operation`
 * is FUTEX_WAIT_PRIVATE (sleeps while the word holds `value`) or FUTEX_WAKE_PRIVATE (wakes `value`
 * sleepers). What it returns; -1 with errno. */
static inline long futex(uint32_t *word, int operation, uint32_t value) {
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

#endif
