#include "pin.h"
#include "status.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

int pin_thread(int cpu, int *observed, int capacity, int *count) {
    *count = 0;
    if (cpu < 0) {
        return 0;
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0 || sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return errno;
    }
    for (int i = 0; i < CPU_SETSIZE && *count < capacity; i++) {
        if (CPU_ISSET(i, &mask)) {
            observed[(*count)++] = i;
        }
    }
    return 0;
}

static void describe(const cpu_set_t *mask, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < CPU_SETSIZE; i++) {
        size_t used = strlen(text);
        if (CPU_ISSET(i, mask)) {
            snprintf(text + used, size - used, "%s%d", used ? "," : "", i);
        }
    }
}

int pin_check(const int *cpus, int count) {
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        return fail(STATUS_NO_RESOURCES, "sched_getaffinity: %s", strerror(errno));
    }
    int status = 0;
    for (int i = count - 1; i >= 0 && status == 0; i--) {
        int observed;
        int observed_count;
        /* Only trying tells: a CPU can exist and still be outside our cpuset. */
        int error = pin_thread(cpus[i], &observed, 1, &observed_count);
        if (error) {
            char allowed[256];
            describe(&before, allowed, sizeof allowed);
            status =
                fail(STATUS_BAD_ARGUMENT, "--cpus: CPU %d is not accepted (%s): give CPUs this process may run on: %s",
                     cpus[i], strerror(error), allowed);
        }
    }
    sched_setaffinity(0, sizeof before, &before);
    return status;
}

int pin_distinct(const int *cpus, int count) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (count == 0) {
        sched_getaffinity(0, sizeof mask, &mask);
    }
    for (int i = 0; i < count; i++) {
        CPU_SET(cpus[i], &mask);
    }
    return CPU_COUNT(&mask);
}
