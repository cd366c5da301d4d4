#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON text under construction, on one line. Start with {0}; commas are placed by the writer. */
struct json {
    char *text;
    size_t length;
    size_t capacity;
};

void json_open(struct json *json, char bracket);  /* '{' or '[' */
void json_close(struct json *json, char bracket); /* '}' or ']' */
void json_key(struct json *json, const char *key);
void json_string(struct json *json, const char *value);
void json_int(struct json *json, int64_t value);
/* The shortest decimal that reads back as `value`; null when it is not finite. */
void json_double(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
