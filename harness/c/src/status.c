#include "status.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1024];

static void keep(const char *format, va_list arguments) {
    vsnprintf(line, sizeof line, format, arguments);
    for (char *c = line; *c; c++) {
        if (iscntrl((unsigned char)*c)) {
            *c = '?';
        }
    }
}

int fail(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep(format, arguments);
    va_end(arguments);
    return status;
}

const char *failure(void) {
    return line;
}

void die(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep(format, arguments);
    va_end(arguments);
    fprintf(stderr, "lab-harness: %s\n", line);
    exit(status);
}

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
