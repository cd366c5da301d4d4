#pragma once

#include <stddef.h>
#include <stdint.h>

/* The bytes of a file: how they are produced, and how they are summed. */

/* The content of a file: every byte is the low byte of its position. These two work on whole vectors; they prepare and
 * check, and are never timed. */
static inline void fill(unsigned char *block, size_t size, int64_t position) {
    unsigned char next = (unsigned char)position;
    for (size_t i = 0; i < size; i++) {
        block[i] = next++;
    }
}

/* Of at most 1 MiB: 2^20 x 255 fits. */
static inline uint32_t sum_bytes(const unsigned char *block, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += block[i];
    }
    return sum;
}

/* The value, of which the compiler knows nothing any more: the loop around it stays a loop over single bytes. Java's
 * compiler makes no vectors of these loops, and the published programs went byte by byte; a twin has to do the same
 * work. What the bytes cost is measured by cpu_loop, and IO without them by --fill once. */
static inline uint32_t one_at_a_time(uint32_t value) {
    __asm__("" : "+r"(value));
    return value;
}

/* Produces a block byte by byte and adds its bytes up on the way, as the published programs did. */
static inline uint32_t produce_bytes(unsigned char *block, size_t size, int64_t position) {
    uint32_t sum = 0;
    uint32_t next = (uint32_t)position;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)one_at_a_time(next++);
        block[i] = byte;
        sum += byte;
    }
    return sum;
}

static inline uint32_t check_bytes(const unsigned char *block, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = one_at_a_time(sum + block[i]);
    }
    return sum;
}
