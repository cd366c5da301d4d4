#include "status.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
