/*
 * lab-harness: runs one configuration of one experiment once. The contract, the arguments and the exit statuses are
 * those of harness/README.md.
 */
#include "clock.h"
#include "experiment.h"
#include "json.h"
#include "meeting.h"
#include "pin.h"
#include "status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LAB_FLAGS
#error "LAB_FLAGS must hold the compiler flags: they are part of every result"
#endif

static int print_line(struct json *json) {
    bool written = fwrite(json->text, 1, json->length, stdout) == json->length;
    written = fputc('\n', stdout) != EOF && written;
    written = fflush(stdout) == 0 && written;
    free(json->text);
    return written ? 0 : fail(STATUS_NO_RESOURCES, "standard output: cannot write: %s", strerror(errno));
}

static int list(void) {
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_string(&json, "harness", "c");
    json_open(&json, "experiments", '[');
    for (int i = 0; experiments[i]; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "name", experiments[i]->name);
        json_open(&json, "variants", '[');
        for (const struct variant *v = experiments[i]->variants; v->name; v++) {
            json_open(&json, NULL, '{');
            json_string(&json, "name", v->name);
            json_bool(&json, "supported", !v->unsupported);
            json_string(&json, "reason", v->unsupported ? v->unsupported : "");
            json_close(&json, '}');
        }
        json_close(&json, ']');
        args_write_declarations(experiments[i], &json);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    return print_line(&json);
}

/* What the kernel makes its clocks of now; it may change to another while it runs. */
static void write_clocksource(struct json *json) {
    char name[64] = "unknown";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file) {
        (void)!fscanf(file, "%63s", name);
        fclose(file);
    }
    json_string(json, "clocksource", name);
}

static void write_runtime(struct json *json) {
    json_open(json, "runtime", '{');
#ifdef __clang__
    const char *facts[] = {"name", "clang", "version", __clang_version__, "vendor", "LLVM"};
#else
    const char *facts[] = {"name", "gcc", "version", __VERSION__, "vendor", "GNU"};
#endif
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i += 2) {
        json_string(json, facts[i], facts[i + 1]);
    }
    json_open(json, "flags", '[');
    char flags[] = LAB_FLAGS;
    char *rest = flags;
    for (char *flag; (flag = strtok_r(rest, " ", &rest));) {
        json_string(json, NULL, flag);
    }
    json_close(json, ']');
    json_open(json, "options", '{');
    json_close(json, '}');
    write_clocksource(json);
    json_close(json, '}');
}

static int print_trial(const struct trial *trial, struct recorder *recorder) {
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_string(&json, "experiment", trial->experiment->name);
    json_string(&json, "variant", trial->variant->name);
    json_string(&json, "harness", "c");
    args_write_parameters(trial, &json);
    write_runtime(&json);
    recorder_write(recorder, &json);
    json_close(&json, '}');
    return print_line(&json);
}

/* Runs, and leaves either a complete trial (log and JSON) or nothing. */
static int measure(const struct trial *trial, struct recorder *recorder) {
    recorder_measure(recorder, WHOLE_TRIAL, "", "clock_read", clock_read_cost());
    int status = trial->experiment->run(trial, recorder);
    if (status) {
        return status;
    }
    int verdict = recorder_verdict(recorder);
    status = recorder_commit(recorder);
    if (status == 0) {
        status = print_trial(trial, recorder);
        if (status) {
            unlink(trial->out);
        }
    }
    return status ? status : verdict;
}

/* What follows `name` on the command line, or NULL. */
static const char *value_of(int argc, char **argv, const char *name) {
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], name) == 0) {
            return argv[i + 1];
        }
    }
    return NULL;
}

static int run(int argc, char **argv) {
    char known[512] = "";
    struct trial trial = {0};
    for (int i = 0; experiments[i]; i++) {
        if (strcmp(experiments[i]->name, argv[1]) == 0) {
            trial.experiment = experiments[i];
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", experiments[i]->name);
    }
    if (!trial.experiment) {
        return fail(STATUS_BAD_ARGUMENT, "'%s' is not an experiment: give --list or one of %s", argv[1], known);
    }
    /* First of all: whatever else is wrong, the other parts learn of it. */
    int status = meeting_join(value_of(argc, argv, "--meet"), value_of(argc, argv, "--part"));
    status = status ? status : args_parse(argc - 2, argv + 2, &trial);
    if (status == 0) {
        status = pin_check(trial.cpus, trial.cpu_count);
    }
    struct stat existing;
    if (status == 0 && stat(trial.out, &existing) == 0 && !S_ISREG(existing.st_mode)) {
        const char *kind = S_ISDIR(existing.st_mode) ? "folder" : "device, pipe or socket";
        status = fail(STATUS_BAD_ARGUMENT, "--out: '%s' is a %s: give a file name", trial.out, kind);
    }
    if (status) {
        return status;
    }
    struct recorder *recorder = recorder_open(trial.out, &status);
    if (recorder) {
        status = measure(&trial, recorder);
        recorder_close(recorder);
    }
    return status;
}

int main(int argc, char **argv) {
    int status;
    if (argc < 2) {
        status = fail(STATUS_BAD_ARGUMENT,
                      "no experiment: give --list, or EXPERIMENT --variant V [--threads N] [--cpus "
                      "0,1] --warmup W --iterations I [--iteration-ms M] [--NAME VALUE ...] [--meet FILE "
                      "--part I/N] --out FILE.hlog");
    } else if (strcmp(argv[1], "--list") == 0) {
        status = argc == 2 ? list() : fail(STATUS_BAD_ARGUMENT, "'%s' after --list: it takes no argument", argv[2]);
    } else {
        status = run(argc, argv);
    }
    if (status) {
        fprintf(stderr, "lab-harness: %s\n", failure());
    } else {
        meeting_passed();
    }
    return status;
}
