#pragma once

/* Exit statuses of the harness contract (harness/README.md). */
enum status {
    STATUS_MEASURED = 0,
    STATUS_BAD_ARGUMENT = 2,
    STATUS_UNSUPPORTED = 3,
    STATUS_CHECK_FAILED = 4,
    STATUS_NO_RESOURCES = 5,
};

/*
 * Keeps one line that names the cause and returns `status`, so that a caller can write `return fail(STATUS_..., ...)`.
 * main prints the line once, at the end. Control characters are replaced: whatever a user typed, the cause stays on one
 * line.
 */
int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line kept by the last fail(), or "". */
const char *failure(void);

/* Ends the process at once with that line: for causes no caller can do anything about. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
