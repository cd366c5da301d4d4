#include "temporary.h"
#include "status.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 64 };

/* Fixed storage: a signal handler may only read what is already there. */
static char paths[SLOTS][PATH_MAX];
static volatile sig_atomic_t used[SLOTS];

static void remove_all(void) {
    for (int i = 0; i < SLOTS; i++) {
        if (used[i]) {
            unlink(paths[i]);
            used[i] = 0;
        }
    }
}

static void on_signal(int number) {
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

static void arm(void) {
    static bool armed;
    if (armed) {
        return;
    }
    armed = true;
    atexit(remove_all);
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction inherited;
        /* A signal that our parent made us ignore (nohup) stays ignored. */
        if (sigaction(numbers[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
            signal(numbers[i], on_signal);
        }
    }
}

void temporary_track(const char *path) {
    arm();
    for (int i = 0; i < SLOTS; i++) {
        if (!used[i]) {
            if ((size_t)snprintf(paths[i], sizeof paths[i], "%s", path) >= sizeof paths[i]) {
                die(STATUS_BAD_ARGUMENT, "path is longer than %d bytes: %.80s...", PATH_MAX - 1, path);
            }
            used[i] = 1;
            return;
        }
    }
    die(STATUS_NO_RESOURCES, "more than %d temporary files at once: %s", SLOTS, path);
}

void temporary_release(const char *path) {
    for (int i = 0; i < SLOTS; i++) {
        if (used[i] && strcmp(paths[i], path) == 0) {
            used[i] = 0;
        }
    }
}
