#include "args.h"
#include "experiment.h"
#include "json.h"
#include "meeting.h"

#include <stdio.h>

void args_write_parameters(const struct trial *trial, struct json *json) {
    json_open(json, "parameters", '{');
    json_int(json, "threads", trial->threads);
    json_open(json, "cpus", '[');
    for (int i = 0; i < trial->cpu_count; i++) {
        json_int(json, NULL, trial->cpus[i]);
    }
    json_close(json, ']');
    json_int(json, "warmup", trial->warmup);
    json_int(json, "iterations", trial->iterations);
    json_int(json, "iteration-ms", trial->iteration_ns / 1000000);
    const struct meeting *meeting = meeting_of_process();
    if (meeting->parts > 1) {
        char part[16];
        snprintf(part, sizeof part, "%d/%d", meeting->part, meeting->parts);
        json_string(json, "part", part);
    }
    const struct parameter *parameters = args_declared(trial->experiment);
    for (int i = 0; parameters[i].name; i++) {
        if (parameters[i].type == PARAMETER_INT) {
            json_int(json, parameters[i].name, trial->values[i].number);
        } else {
            json_string(json, parameters[i].name, trial->values[i].text);
        }
    }
    json_close(json, '}');
}

void args_write_declarations(const struct experiment *experiment, struct json *json) {
    static const char *const types[] = {"int", "choice", "string"};
    json_open(json, "parameters", '[');
    for (const struct parameter *p = args_declared(experiment); p->name; p++) {
        json_open(json, NULL, '{');
        json_string(json, "name", p->name);
        json_string(json, "type", types[p->type]);
        if (p->type == PARAMETER_INT) {
            json_int(json, "min", p->min);
            json_int(json, "max", p->max);
        } else if (p->type == PARAMETER_CHOICE) {
            json_open(json, "choices", '[');
            for (int i = 0; p->choices[i]; i++) {
                json_string(json, NULL, p->choices[i]);
            }
            json_close(json, ']');
        }
        if (p->type == PARAMETER_INT && !p->required) {
            json_int(json, "default", p->number);
        } else {
            json_string(json, "default", p->required ? NULL : p->text);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}
