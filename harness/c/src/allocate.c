#include "allocate.h"
#include "status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *allocate(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - LAB_LINE) {
        die(STATUS_NO_RESOURCES, "memory: %zu x %zu bytes cannot be addressed", count, size);
    }
    bytes = (bytes + LAB_LINE - 1) / LAB_LINE * LAB_LINE;
    bytes = bytes ? bytes : LAB_LINE;
    void *memory = aligned_alloc(LAB_LINE, bytes);
    if (!memory) {
        die(STATUS_NO_RESOURCES, "memory: %zu bytes needed and not available", bytes);
    }
    return memset(memory, 0, bytes);
}

void *reallocate(void *memory, size_t bytes) {
    void *moved = realloc(memory, bytes);
    if (!moved) {
        die(STATUS_NO_RESOURCES, "memory: %zu bytes needed and not available", bytes);
    }
    return moved;
}
