#pragma once

#include "clock.h"
#include "cpu.h"
#include "recorder.h"
#include "status.h"
#include "workers.h"

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * What every experiment needs is included here, so that its files name what is particular to it.
 *
 * An experiment is one file in the folder of its family, src/experiments/FAMILY/, that defines
 *
 *     const struct experiment experiment_NAME = {.name = "NAME", ...};
 *
 * and one line in src/registry.def. `run` measures one configuration once: it adds rows, measures and at least one
 * check to the recorder and returns STATUS_MEASURED, or `return fail(STATUS_..., "one line")`. A failed check is not
 * its business: main turns it into STATUS_CHECK_FAILED.
 */

/*
 * One thing compared, in one row: its name, whether this build has it, and what it runs. An experiment finds its own
 * struct again in trial->variant->implementation. Where variants differ in functions alone, that is a struct of them
 * all the same, because a pointer to an object cannot hold one to a function. The array ends with a NULL name.
 */
struct variant {
    const char *name;
    const char *unsupported;    /* NULL: supported by this build; otherwise why not (status 3) */
    const void *implementation; /* of the experiment's own type; NULL where there is only one */
};

struct experiment {
    const char *name;
    const struct variant *variants;
    const struct parameter *parameters; /* beyond the common ones; ends with a NULL name; or NULL */
    int (*run)(const struct trial *trial, struct recorder *recorder);
    /* The parameter that gives the threads in place of --threads, or NULL. */
    const char *threads_by;
    /* How many, where that is not the number it holds; or NULL. */
    int (*threads)(const struct trial *trial);
};

/* All experiments in the order of registry.def; ends with NULL. */
extern const struct experiment *const experiments[];
