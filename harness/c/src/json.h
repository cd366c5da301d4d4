#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON text under construction, on one line. Start with {0}; commas are placed by the writer. What is added has a key
 * in an object, and NULL for one elsewhere. */
struct json {
    char *text;
    size_t length;
    size_t capacity;
};

void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
/* NULL: null. */
void json_string(struct json *json, const char *key, const char *value);
void json_int(struct json *json, const char *key, int64_t value);
/* The shortest decimal that reads back as `value`; null when it is not finite. */
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
