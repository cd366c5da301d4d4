#include "json.h"
#include "allocate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct json *json, const char *text, size_t length) {
    if (json->length + length + 1 > json->capacity) {
        json->capacity = 2 * (json->length + length + 1);
        json->text = reallocate(json->text, json->capacity);
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

static void quoted(struct json *json, const char *value) {
    append(json, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        } else if (*c < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", *c);
        } else {
            snprintf(escaped, sizeof escaped, "%c", *c);
        }
        append(json, escaped, strlen(escaped));
    }
    append(json, "\"", 1);
}

/* A comma unless it opens its container, and the key. */
static void begin(struct json *json, const char *key) {
    const char last = json->length ? json->text[json->length - 1] : '[';
    if (last != '[' && last != '{') {
        append(json, ",", 1);
    }
    if (key) {
        quoted(json, key);
        append(json, ": ", 2);
    }
}

static void scalar(struct json *json, const char *key, const char *text) {
    begin(json, key);
    append(json, text, strlen(text));
}

void json_open(struct json *json, const char *key, char bracket) {
    begin(json, key);
    append(json, &bracket, 1);
}

void json_close(struct json *json, char bracket) {
    append(json, &bracket, 1);
}

void json_string(struct json *json, const char *key, const char *value) {
    if (!value) {
        scalar(json, key, "null");
        return;
    }
    begin(json, key);
    quoted(json, value);
}

void json_int(struct json *json, const char *key, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    scalar(json, key, text);
}

void json_double(struct json *json, const char *key, double value) {
    char text[40] = "null";
    for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    scalar(json, key, text);
}

void json_bool(struct json *json, const char *key, bool value) {
    scalar(json, key, value ? "true" : "false");
}
