/* What the command line accepts, and that everything else is refused by name and value. */
#include "args.h"
#include "experiment.h"
#include "json.h"
#include "status.h"
#include "test.h"

#include <stdlib.h>

static const struct variant variants[] = {
    {.name = "a"}, {.name = "b"}, {.name = "absent", .unsupported = "no b here"}, {0}};
static const char *const colours[] = {"red", "green", NULL};
static const struct parameter parameters[] = {
    {.name = "every", .type = PARAMETER_INT, .min = 1, .max = 1024, .number = 64, .power_of_two = true},
    {.name = "big", .type = PARAMETER_INT, .min = INT64_MIN, .max = INT64_MAX, .number = -7},
    {.name = "colour", .type = PARAMETER_CHOICE, .choices = colours, .text = "green"},
    {.name = "note", .type = PARAMETER_STRING, .text = ""},
    {0},
};
static const struct experiment experiment = {.name = "fake", .variants = variants, .parameters = parameters};

/* Its number of threads is that of its parameter "every". */
static const struct experiment derived = {
    .name = "derived", .variants = variants, .parameters = parameters, .threads_by = "every"};

static struct trial trial;

/* Splits at blanks ("''" stands for an empty argument) and parses. */
static int parse_for(const struct experiment *one, const char *line) {
    static char copy[512];
    char *words[64];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        words[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
    }
    trial.experiment = one;
    fail(0, "%s", "");
    return args_parse(count, words, &trial);
}

static int parse(const char *line) {
    return parse_for(&experiment, line);
}

#define REQUIRED "--variant a --warmup 0 --iterations 1 --out x "

static void test_accepted(void) {
    CHECK_EQUAL(0, parse(REQUIRED));
    CHECK_EQUAL(1, trial.threads);
    CHECK_EQUAL(0, trial.cpu_count);
    CHECK_EQUAL(5000000, trial.iteration_ns);
    CHECK_EQUAL(-1, trial_cpu(&trial, 3));
    CHECK_EQUAL(64, trial_int(&trial, "every"));
    CHECK_EQUAL(-7, trial_int(&trial, "big"));
    CHECK_TEXT("green", trial_text(&trial, "colour"));
    CHECK_EQUAL(0, parse(REQUIRED "--threads 1024 --cpus 3,0,1023 --iteration-ms 60000 --every 1 "
                                  "--big -9223372036854775808 --colour red --note hi"));
    CHECK_EQUAL(1024, trial.threads);
    CHECK_EQUAL(3, trial.cpu_count);
    CHECK_EQUAL(0, trial_cpu(&trial, 1));
    CHECK_EQUAL(3, trial_cpu(&trial, 3));
    CHECK_EQUAL(INT64_C(60000000000), trial.iteration_ns);
    CHECK_EQUAL(INT64_MIN, trial_int(&trial, "big"));
    CHECK_TEXT("red", trial_text(&trial, "colour"));
    CHECK_TEXT("hi", trial_text(&trial, "note"));
    CHECK_EQUAL(0, parse(REQUIRED "--big 9223372036854775807"));
    CHECK_EQUAL(INT64_MAX, trial_int(&trial, "big"));
}

/* Every refusal names the argument, what was given, and what would have been accepted. */
static void test_refused(void) {
    static const struct {
        const char *line, *argument, *value, *accepted;
    } refused[] = {
        {"--threads 0", "--threads", "'0'", "1 to 1024"},
        {"--threads -1", "--threads", "'-1'", "1 to 1024"},
        {"--threads 1025", "--threads", "'1025'", "1 to 1024"},
        {"--threads 10000", "--threads", "'10000'", "1 to 1024"},
        {"--threads 12abc", "--threads", "'12abc'", "1 to 1024"},
        {"--threads 1e3", "--threads", "'1e3'", "1 to 1024"},
        {"--threads 0x10", "--threads", "'0x10'", "1 to 1024"},
        {"--threads +1", "--threads", "'+1'", "1 to 1024"},
        {"--threads 1.0", "--threads", "'1.0'", "1 to 1024"},
        {"--threads ''", "--threads", "''", "1 to 1024"},
        {"--threads -", "--threads", "'-'", "1 to 1024"},
        {"--threads 4294967297", "--threads", "'4294967297'", "1 to 1024"},
        {"--threads 99999999999999999999", "--threads", "'99999999999999999999'", "1 to 1024"},
        {"--big 9223372036854775808", "--big", "'9223372036854775808'", "9223372036854775807"},
        {"--iteration-ms 60001", "--iteration-ms", "'60001'", "1 to 60000"},
        {"--cpus ''", "--cpus", "''", "0 to 1023"},
        {"--cpus 0,", "--cpus", "'0,'", "0 to 1023"},
        {"--cpus ,0", "--cpus", "',0'", "0 to 1023"},
        {"--cpus 0,,1", "--cpus", "'0,,1'", "0 to 1023"},
        {"--cpus 0-1", "--cpus", "'0-1'", "0 to 1023"},
        {"--cpus -1", "--cpus", "'-1'", "0 to 1023"},
        {"--cpus 1024", "--cpus", "'1024'", "0 to 1023"},
        {"--cpus 000000000000000000001", "--cpus", "'000000000000000000001'", "0 to 1023"},
        {"--every 3", "--every", "'3'", "power of two from 1 to 1024"},
        {"--every 0", "--every", "'0'", "power of two from 1 to 1024"},
        {"--colour blue", "--colour", "'blue'", "red, green"},
        {"--colour ''", "--colour", "''", "red, green"},
        {"--thread 2", "'--thread'", "--thread", "threads"},
        {"threads 2", "'threads'", "threads", "threads"},
        {"-- 2", "'--'", "--", "threads"},
        {"'' 2", "''", "''", "threads"},
        {"--threads", "--threads", "no value", "--threads VALUE"},
        {"--threads 1 --threads 2", "--threads", "'2'", "once"},
        {"--every 1 --every 2", "--every", "'2'", "once"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[512];
        snprintf(line, sizeof line, "%s%s", REQUIRED, refused[i].line);
        CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse(line));
        int named = strstr(failure(), refused[i].argument) && strstr(failure(), refused[i].value) &&
                    strstr(failure(), refused[i].accepted);
        test_note(named, __FILE__, __LINE__, failure());
    }
}

static void test_missing(void) {
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--warmup 0 --iterations 1 --out x"));
    CHECK_TEXT("--variant is missing: it has no default", failure());
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --iterations 1 --out x"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --warmup 0 --out x"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --warmup 0 --iterations 1"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --warmup 0 --iterations 0 --out x"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --warmup 100001 --iterations 1 --out x"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant a --warmup 0 --iterations 1 --out ''"));
}

static void test_variants(void) {
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse("--variant c --warmup 0 --iterations 1 --out x"));
    CHECK_TEXT("--variant: 'c' is not a variant of fake: give one of a, b, absent", failure());
    CHECK_EQUAL(STATUS_UNSUPPORTED, parse("--variant absent --warmup 0 --iterations 1 --out x"));
    CHECK(strstr(failure(), "no b here") != NULL);
}

static void test_derived_threads(void) {
    struct json json = {0};
    CHECK_EQUAL(0, parse_for(&derived, REQUIRED "--every 8"));
    CHECK_EQUAL(8, trial.threads);
    args_write_parameters(&trial, &json);
    CHECK(strncmp(json.text, "\"parameters\": {\"threads\": 8,", 28) == 0);
    free(json.text);
    CHECK_EQUAL(0, parse_for(&derived, REQUIRED));
    CHECK_EQUAL(64, trial.threads);
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse_for(&derived, REQUIRED "--every 8 --threads 2"));
    CHECK_TEXT("--threads: '2' is not accepted by derived: leave it out, --every gives the threads", failure());
}

static void test_refusals(void) {
    CHECK_EQUAL(0, parse(REQUIRED "--threads 3"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, trial_refuse(&trial, "threads", " by %s: give %d", "it", 1));
    CHECK_TEXT("--threads: '3' is not accepted by it: give 1", failure());
    trial_refuse(&trial, "iterations", ": give more");
    CHECK_TEXT("--iterations: '1' is not accepted: give more", failure());
    trial_refuse(&trial, "warmup", ": give more");
    CHECK_TEXT("--warmup: '0' is not accepted: give more", failure());
    trial_refuse(&trial, "big", ": give less");
    CHECK_TEXT("--big: '-7' is not accepted: give less", failure());
    trial_refuse(&trial, "colour", ": give red");
    CHECK_TEXT("--colour: 'green' is not accepted: give red", failure());
}

static void test_one_line(void) {
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, parse(REQUIRED "--threads 1\n2"));
    CHECK(strchr(failure(), '\n') == NULL);
}

static void test_json(void) {
    struct json json = {0};
    CHECK_EQUAL(0, parse(REQUIRED "--cpus 1,0 --note a\"\\\tb"));
    args_write_parameters(&trial, &json);
    CHECK_TEXT("\"parameters\": {\"threads\": 1,\"cpus\": [1,0],\"warmup\": 0,\"iterations\": 1,\"iteration-ms\": "
               "5,\"every\": 64,\"big\": -7,\"colour\": \"green\",\"note\": \"a\\\"\\\\\\u0009b\"}",
               json.text);
    json.length = 0;
    json_open(&json, NULL, '[');
    json_double(&json, NULL, 0.1);
    json_double(&json, NULL, 1.0 / 3);
    json_double(&json, NULL, 2e300 * 1e300);
    json_open(&json, NULL, '[');
    json_close(&json, ']');
    json_string(&json, NULL, " ");
    json_bool(&json, NULL, true);
    json_close(&json, ']');
    CHECK_TEXT("[0.1,0.3333333333333333,null,[],\" \",true]", json.text);
    free(json.text);
}

int main(void) {
    test_accepted();
    test_refused();
    test_missing();
    test_variants();
    test_derived_threads();
    test_refusals();
    test_one_line();
    test_json();
    TEST_END();
}
