/* What the arguments of a trial ask of a variant, and which of it no variant can do. */
#include "ipc.h"

enum pattern method_pattern(const struct trial *trial) {
    const char *pattern = trial_text(trial, "pattern");
    return strcmp(pattern, "round_trip") == 0 ? ROUND_TRIP : strcmp(pattern, "stream") == 0 ? STREAM : PACED;
}

static int check_patterns(const struct trial *trial, const struct method *method) {
    const enum pattern pattern = method_pattern(trial);
    const char *text = trial_text(trial, "pattern");
    if (method->solo && pattern != STREAM) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--pattern %s: one process has nobody to wait for: give "
                    "stream for --variant %s",
                    text, trial->variant->name);
    }
    if (method->link == &link_word && pattern != ROUND_TRIP) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--pattern %s: a word is not a queue: give round_trip for "
                    "--variant %s",
                    text, trial->variant->name);
    }
    if (pattern == PACED && trial_int(trial, "size") == MESSAGE_SMALLEST) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--size %d: no room for the time that a paced message "
                    "carries: give %d or more",
                    MESSAGE_SMALLEST, MESSAGE_USUAL);
    }
    if (trial_int(trial, "writes-of") != 1 && (!method->descriptors || pattern != STREAM)) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--writes-of %d: only a stream through the kernel writes "
                    "several messages at once",
                    (int)trial_int(trial, "writes-of"));
    }
    return 0;
}

static int check_sizes(const struct trial *trial, const struct method *method) {
    const int64_t size = trial_int(trial, "size");
    if (size != MESSAGE_SMALLEST && (size < MESSAGE_USUAL || (size - MESSAGE_USUAL) % 8 != 0)) {
        return trial_refuse(trial, "size", ": give %d, or from %d to %d in steps of 8", MESSAGE_SMALLEST, MESSAGE_USUAL,
                            MESSAGE_BIGGEST);
    }
    const int64_t capacity = trial_int(trial, "capacity");
    if (!method->descriptors && size > ring_most(capacity)) {
        return trial_refuse(trial, "size", ": a message in a ring of %d bytes has at most an eighth less 8, %d",
                            (int)capacity, (int)ring_most(capacity));
    }
    return 0;
}

int method_accepts(const struct method *method, const struct trial *trial) {
    const struct meeting *meeting = meeting_of_process();
    if (trial->threads != 1) {
        return trial_refuse(trial, "threads", ": give 1, an end is one thread");
    }
    if (meeting->parts != (method->solo ? 1 : 2)) {
        return fail(STATUS_BAD_ARGUMENT,
                    method->solo ? "--part %d/%d: --variant %s is one process"
                                 : "--part %d/%d: --variant %s is two parts, --role ping and --role pong: give "
                                   "--meet FILE and --part I/2",
                    meeting->part, meeting->parts, trial->variant->name);
    }
    if (trial_text(trial, "ring")[0] && !method->solo) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: only ring_solo takes a file that exists",
                    trial_text(trial, "ring"));
    }
    int status = check_patterns(trial, method);
    return status ? status : check_sizes(trial, method);
}

int64_t method_sample_every(const struct method *method, const struct trial *trial) {
    const int64_t given = trial_int(trial, "sample-every");
    return given ? given : method_pattern(trial) == STREAM ? 64 : method->sample_every;
}
