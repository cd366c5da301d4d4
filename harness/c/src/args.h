#pragma once

#include <stdbool.h>
#include <stdint.h>

struct experiment;
struct json;
struct variant;

enum { MAX_CPUS = 1024, MAX_PARAMETERS = 24 };

enum parameter_type {
    PARAMETER_INT,
    PARAMETER_CHOICE,
    PARAMETER_STRING,
};

/* A declared argument `--name value`. An array of them ends with a NULL name. */
struct parameter {
    const char *name;
    enum parameter_type type;
    int64_t min, max, number;   /* PARAMETER_INT: accepted range and default */
    bool power_of_two;          /* PARAMETER_INT: nothing else in the range is accepted */
    const char *const *choices; /* PARAMETER_CHOICE: accepted words, ends with NULL */
    const char *text;           /* PARAMETER_CHOICE, PARAMETER_STRING: default */
    bool required;              /* no default: must be given */
};

/* Of a table of parameters: an integer of a range; one that is a power of two; one of some words; any text. The last of
 * each is its default. */
#define INT_PARAMETER(word, least, most, usual)                                                                        \
    {.name = word, .type = PARAMETER_INT, .min = least, .max = most, .number = usual}
#define POWER_PARAMETER(word, least, most, usual)                                                                      \
    {.name = word, .type = PARAMETER_INT, .min = least, .max = most, .number = usual, .power_of_two = true}
#define CHOICE_PARAMETER(word, of, usual) {.name = word, .type = PARAMETER_CHOICE, .choices = of, .text = usual}
#define TEXT_PARAMETER(word, usual) {.name = word, .type = PARAMETER_STRING, .text = usual}

/* One configuration, as understood. */
struct trial {
    const struct experiment *experiment;
    const struct variant *variant;
    int threads;        /* workers */
    int cpus[MAX_CPUS]; /* worker i is pinned to cpus[i % cpu_count] */
    int cpu_count;      /* 0: not pinned */
    int warmup;
    int iterations;
    int64_t iteration_ns;
    const char *out;
    union {
        int64_t number;
        const char *text;
    } values[MAX_PARAMETERS]; /* of the experiment's parameters, in their order */
};

/*
 * Parses argv[0..argc) = `--name value ...` for trial->experiment, which the caller has set. Returns 0, or
 * fail(STATUS_BAD_ARGUMENT) naming argument, value and what is accepted, or fail(STATUS_UNSUPPORTED) for a variant that
 * this build does not support. Nothing is guessed: 12abc, 1e3, overflow, an empty value, a repeated or unknown argument
 * are all refused.
 */
int args_parse(int argc, char *const *argv, struct trial *trial);

/* What the experiment declares beside the common arguments; ends with a NULL name. */
const struct parameter *args_declared(const struct experiment *experiment);

/* Value of a parameter that the experiment declares (a program error otherwise). */
int64_t trial_int(const struct trial *trial, const char *name);
const char *trial_text(const struct trial *trial, const char *name);

/* Refuses the value of a parameter, or of --threads, --warmup or --iterations: fail(STATUS_BAD_ARGUMENT, "--NAME:
 * 'VALUE' is not accepted ..."), which `format` goes on with. */
int trial_refuse(const struct trial *trial, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The CPU worker `index` is pinned to, or -1. */
int trial_cpu(const struct trial *trial, int index);

/* Writes the object "parameters" of the contract: everything as understood, defaults included. */
void args_write_parameters(const struct trial *trial, struct json *json);

/* Writes the array "parameters" of --list: what the experiment declares. */
void args_write_declarations(const struct experiment *experiment, struct json *json);
