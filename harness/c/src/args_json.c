#include "args.h"
#include "experiment.h"
#include "json.h"
#include "meeting.h"

#include <stdio.h>

static void write_text(struct json *json, const char *text) {
    text ? json_string(json, text) : json_null(json);
}

void args_write_parameters(const struct trial *trial, struct json *json) {
    json_open(json, '{');
    json_key(json, "threads");
    json_int(json, trial->threads);
    json_key(json, "cpus");
    json_open(json, '[');
    for (int i = 0; i < trial->cpu_count; i++) {
        json_int(json, trial->cpus[i]);
    }
    json_close(json, ']');
    json_key(json, "warmup");
    json_int(json, trial->warmup);
    json_key(json, "iterations");
    json_int(json, trial->iterations);
    json_key(json, "iteration-ms");
    json_int(json, trial->iteration_ns / 1000000);
    const struct meeting *meeting = meeting_of_process();
    if (meeting->parts > 1) {
        char part[16];
        snprintf(part, sizeof part, "%d/%d", meeting->part, meeting->parts);
        json_key(json, "part");
        json_string(json, part);
    }
    const struct parameter *parameters = args_declared(trial->experiment);
    for (int i = 0; parameters[i].name; i++) {
        json_key(json, parameters[i].name);
        if (parameters[i].type == PARAMETER_INT) {
            json_int(json, trial->values[i].number);
        } else {
            write_text(json, trial->values[i].text);
        }
    }
    json_close(json, '}');
}

static void write_default(const struct parameter *parameter, struct json *json) {
    json_key(json, "default");
    if (parameter->required) {
        json_null(json);
    } else if (parameter->type == PARAMETER_INT) {
        json_int(json, parameter->number);
    } else {
        write_text(json, parameter->text);
    }
}

void args_write_declarations(const struct experiment *experiment, struct json *json) {
    static const char *const types[] = {"int", "choice", "string"};
    json_open(json, '[');
    for (const struct parameter *p = args_declared(experiment); p->name; p++) {
        json_open(json, '{');
        json_key(json, "name");
        json_string(json, p->name);
        json_key(json, "type");
        json_string(json, types[p->type]);
        if (p->type == PARAMETER_INT) {
            json_key(json, "min");
            json_int(json, p->min);
            json_key(json, "max");
            json_int(json, p->max);
        } else if (p->type == PARAMETER_CHOICE) {
            json_key(json, "choices");
            json_open(json, '[');
            for (int i = 0; p->choices[i]; i++) {
                json_string(json, p->choices[i]);
            }
            json_close(json, ']');
        }
        write_default(p, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}
