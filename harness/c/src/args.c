#include "args.h"
#include "experiment.h"
#include "status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments of every experiment, in the order of enum. */
enum { VARIANT, THREADS, CPUS, WARMUP, ITERATIONS, ITERATION_MS, MEET, PART, OUT, COMMON };
static const struct parameter common[] = {
    [VARIANT] = {.name = "variant", .type = PARAMETER_STRING, .required = true},
    [THREADS] = INT_PARAMETER("threads", 1, 1024, 1),
    [CPUS] = {.name = "cpus", .type = PARAMETER_STRING},
    [WARMUP] = {.name = "warmup", .type = PARAMETER_INT, .max = 100000, .required = true},
    [ITERATIONS] = {.name = "iterations", .type = PARAMETER_INT, .min = 1, .max = 100000, .required = true},
    [ITERATION_MS] = INT_PARAMETER("iteration-ms", 1, 60000, 5),
    /* meeting_join() has their values before anything is parsed. */
    [MEET] = {.name = "meet", .type = PARAMETER_STRING},
    [PART] = {.name = "part", .type = PARAMETER_STRING},
    [OUT] = {.name = "out", .type = PARAMETER_STRING, .required = true},
    [COMMON] = {0},
};

static const struct parameter none[] = {{0}};

const struct parameter *args_declared(const struct experiment *experiment) {
    return experiment->parameters ? experiment->parameters : none;
}

static int find(const struct parameter *parameters, const char *name) {
    for (int i = 0; parameters[i].name; i++) {
        if (strcmp(parameters[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Decimal digits with an optional minus sign and nothing else; strtoll alone would take blanks, a plus sign and
 * trailing text. */
static bool parse_number(const char *text, int64_t *number) {
    const char *digits = text + (*text == '-');
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0') {
        return false;
    }
    errno = 0;
    *number = strtoll(text, NULL, 10);
    return errno == 0;
}

static int parse_int(const struct parameter *parameter, const char *text, int64_t *number) {
    if (!parse_number(text, number) || *number < parameter->min || *number > parameter->max ||
        (parameter->power_of_two && (*number & (*number - 1)) != 0)) {
        return fail(STATUS_BAD_ARGUMENT, "--%s: '%s' is not accepted: give %s from %" PRId64 " to %" PRId64,
                    parameter->name, text, parameter->power_of_two ? "a power of two" : "an integer", parameter->min,
                    parameter->max);
    }
    return 0;
}

/* Appends ", word" to a list of accepted words. */
static void list_word(char *list, size_t size, const char *word) {
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

static int parse_choice(const struct parameter *parameter, const char *text, const char **chosen) {
    char accepted[512] = "";
    for (int i = 0; parameter->choices[i]; i++) {
        if (strcmp(parameter->choices[i], text) == 0) {
            *chosen = parameter->choices[i];
            return 0;
        }
        list_word(accepted, sizeof accepted, parameter->choices[i]);
    }
    return fail(STATUS_BAD_ARGUMENT, "--%s: '%s' is not accepted: give one of %s", parameter->name, text, accepted);
}

static int parse_variant(const char *text, struct trial *trial) {
    char accepted[512] = "";
    for (const struct variant *v = trial->experiment->variants; v->name; v++) {
        if (strcmp(v->name, text) == 0) {
            trial->variant = v;
            return v->unsupported ? fail(STATUS_UNSUPPORTED, "--variant %s: not supported: %s", v->name, v->unsupported)
                                  : 0;
        }
        list_word(accepted, sizeof accepted, v->name);
    }
    return fail(STATUS_BAD_ARGUMENT, "--variant: '%s' is not a variant of %s: give one of %s", text,
                trial->experiment->name, accepted);
}

static int parse_cpus(const char *text, struct trial *trial) {
    const struct parameter cpu = {.max = MAX_CPUS - 1};
    for (const char *at = text;; at++) {
        char item[16] = "";
        size_t length = strcspn(at, ",");
        int64_t number;
        if (length < sizeof item) {
            memcpy(item, at, length);
        }
        if (trial->cpu_count == MAX_CPUS || !parse_number(item, &number) || number < cpu.min || number > cpu.max) {
            return fail(STATUS_BAD_ARGUMENT,
                        "--cpus: '%s' is not accepted: give at most %d CPU numbers from 0 to "
                        "%d separated by commas, as in 0,1",
                        text, MAX_CPUS, MAX_CPUS - 1);
        }
        trial->cpus[trial->cpu_count++] = (int)number;
        at += length;
        if (*at == '\0') {
            return 0;
        }
    }
}

static int parse_common(int which, const char *text, struct trial *trial) {
    int64_t number = 0;
    int status = common[which].type == PARAMETER_INT ? parse_int(&common[which], text, &number) : 0;
    switch (which) {
    case VARIANT:
        return parse_variant(text, trial);
    case CPUS:
        return parse_cpus(text, trial);
    case THREADS:
        trial->threads = (int)number;
        break;
    case WARMUP:
        trial->warmup = (int)number;
        break;
    case ITERATIONS:
        trial->iterations = (int)number;
        break;
    case ITERATION_MS:
        trial->iteration_ns = number * 1000000;
        break;
    case OUT:
        trial->out = text;
        if (*text == '\0') {
            return fail(STATUS_BAD_ARGUMENT, "--out: '' is not accepted: give a file name");
        }
    }
    return status;
}

static int parse_declared(const struct parameter *parameter, int which, const char *text, struct trial *trial) {
    switch (parameter->type) {
    case PARAMETER_INT:
        return parse_int(parameter, text, &trial->values[which].number);
    case PARAMETER_CHOICE:
        return parse_choice(parameter, text, &trial->values[which].text);
    case PARAMETER_STRING:
        trial->values[which].text = text;
    }
    return 0;
}

static void set_defaults(const struct parameter *parameters, struct trial *trial) {
    *trial = (struct trial){.experiment = trial->experiment,
                            .threads = (int)common[THREADS].number,
                            .iteration_ns = common[ITERATION_MS].number * 1000000};
    for (int i = 0; parameters[i].name; i++) {
        if (parameters[i].type == PARAMETER_INT) {
            trial->values[i].number = parameters[i].number;
        } else {
            trial->values[i].text = parameters[i].text;
        }
    }
}

static int unknown(const char *argument, const struct experiment *experiment) {
    char accepted[512] = "";
    for (int i = 0; i < COMMON; i++) {
        list_word(accepted, sizeof accepted, common[i].name);
    }
    for (const struct parameter *p = args_declared(experiment); p->name; p++) {
        list_word(accepted, sizeof accepted, p->name);
    }
    return fail(STATUS_BAD_ARGUMENT, "'%s' is not an argument of %s: give --NAME VALUE with one of %s", argument,
                experiment->name, accepted);
}

static int missing(const struct parameter *parameters, const bool *given) {
    for (int i = 0; parameters[i].name; i++) {
        if (parameters[i].required && !given[i]) {
            return fail(STATUS_BAD_ARGUMENT, "--%s is missing: it has no default", parameters[i].name);
        }
    }
    return 0;
}

static int derive_threads(struct trial *trial) {
    const char *by = trial->experiment->threads_by;
    if (!by) {
        return 0;
    }
    if (trial->threads != common[THREADS].number) {
        return trial_refuse(trial, "threads", " by %s: leave it out, --%s gives the threads", trial->experiment->name,
                            by);
    }
    trial->threads = trial->experiment->threads ? trial->experiment->threads(trial) : (int)trial_int(trial, by);
    return 0;
}

int args_parse(int argc, char *const *argv, struct trial *trial) {
    const struct parameter *parameters = args_declared(trial->experiment);
    bool given_common[COMMON] = {false};
    bool given[MAX_PARAMETERS] = {false};
    set_defaults(parameters, trial);
    for (int i = 0; i < argc; i += 2) {
        const char *name = strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2 : "";
        int which_common = find(common, name);
        int which = find(parameters, name);
        if (which_common < 0 && which < 0) {
            return unknown(argv[i], trial->experiment);
        }
        if (i + 1 == argc) {
            return fail(STATUS_BAD_ARGUMENT, "--%s has no value: give --%s VALUE", name, name);
        }
        bool *seen = which_common >= 0 ? &given_common[which_common] : &given[which];
        if (*seen) {
            return fail(STATUS_BAD_ARGUMENT, "--%s is given twice ('%s' the second time): give it once", name,
                        argv[i + 1]);
        }
        *seen = true;
        int status = which_common >= 0 ? parse_common(which_common, argv[i + 1], trial)
                                       : parse_declared(&parameters[which], which, argv[i + 1], trial);
        if (status) {
            return status;
        }
    }
    int status = missing(common, given_common);
    status = status ? status : missing(parameters, given);
    return status ? status : derive_threads(trial);
}

static int index_of(const struct trial *trial, const char *name) {
    int which = find(args_declared(trial->experiment), name);
    if (which < 0) {
        die(STATUS_BAD_ARGUMENT, "%s does not declare the parameter %s", trial->experiment->name, name);
    }
    return which;
}

int64_t trial_int(const struct trial *trial, const char *name) {
    return trial->values[index_of(trial, name)].number;
}

const char *trial_text(const struct trial *trial, const char *name) {
    return trial->values[index_of(trial, name)].text;
}

int trial_refuse(const struct trial *trial, const char *name, const char *format, ...) {
    char rest[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rest, sizeof rest, format, arguments);
    va_end(arguments);
    const struct parameter *declared = args_declared(trial->experiment);
    const int which = find(declared, name);
    const int asked = find(common, name);
    if (which >= 0 && declared[which].type != PARAMETER_INT) {
        return fail(STATUS_BAD_ARGUMENT, "--%s: '%s' is not accepted%s", name, trial->values[which].text, rest);
    }
    return fail(STATUS_BAD_ARGUMENT, "--%s: '%" PRId64 "' is not accepted%s", name,
                which >= 0            ? trial->values[which].number
                : asked == THREADS    ? trial->threads
                : asked == ITERATIONS ? trial->iterations
                                      : trial->warmup,
                rest);
}

int trial_cpu(const struct trial *trial, int index) {
    return trial->cpu_count ? trial->cpus[index % trial->cpu_count] : -1;
}
