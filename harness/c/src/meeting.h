#pragma once

#include "allocate.h"
#include "futex.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the parts of a trial meet, each of them a process: a page that all have mapped, as harness/README.md describes
 * it ("Parts of a trial"). A trial that is one process has a page of its own and waits for nobody.
 */

enum { MEETING_BYTES = 4096, MEETING_WORDS = 24 };

struct meeting {
    int part, parts;           /* this one of how many; 1: this is the whole trial */
    struct meeting_page *page; /* at first only of this process */
};

/* Everything but the magic on a line of its own. */
struct meeting_page {
    _Alignas(LAB_LINE) uint64_t magic;
    _Alignas(LAB_LINE) uint64_t arrivals;
    _Alignas(LAB_LINE) uint32_t broken;
    _Alignas(LAB_LINE) uint32_t compiled; /* 1 + the last iteration in which a part did */
    uint32_t fixed;                       /* 1: the iterations are those that were asked for */
    _Alignas(4 * LAB_LINE) struct {
        _Alignas(LAB_LINE) int64_t value;
    } word[MEETING_WORDS];
};

/* The meeting of this process, alone in it until meeting_join(). */
const struct meeting *meeting_of_process(void);

/*
 * Joins the others: `file` is what follows --meet and `part` what follows --part, NULL where one is not given. From now
 * on this process ends with the one that started it, and the others learn of any exit() without meeting_passed()
 * before. Returns 0, fail(STATUS_BAD_ARGUMENT) that says what is wrong with either, or fail(STATUS_NO_RESOURCES) if the
 * page cannot be mapped.
 */
int meeting_join(const char *file, const char *part);

/* This part has measured, and all its checks passed: its exit() is not a failure. */
void meeting_passed(void);

/*
 * Returns when all parts have arrived, and have come back: who waited long for the others has yielded its CPU, and may
 * return to it milliseconds after they have gone on. So there are two rounds, and the second waits for it. Ends the
 * process, STATUS_CHECK_FAILED, where another part has failed, or does not come within `patience_ns`.
 */
void meeting_meet(int64_t patience_ns);

/*
 * Returns when all parts have ended an iteration: whether one of them compiled something in it, and none has to have
 * the iterations that were asked for. Waits and ends as meeting_meet().
 */
bool meeting_compiled(int iteration, int64_t patience_ns);

/*
 * Ends the process, STATUS_CHECK_FAILED, where it is no use to wait on for something of another part: it has failed, or
 * nothing came for WORKERS_GRACE_NS past `deadline_ns`, the end of the iteration. Asked now and then by a wait that
 * lasts, which has to look for what it waits for between one call and the next.
 */
void meeting_end_if_hopeless(int64_t deadline_ns);

/* Word `word` of the page, 0 .. MEETING_WORDS-1, as VarHandle.getOpaque() reads. */
static inline int64_t meeting_get_opaque(const struct meeting *meeting, int word) {
    return __atomic_load_n(&meeting->page->word[word].value, __ATOMIC_RELAXED);
}

/* The same, and what was written before the word was set with release. */
static inline int64_t meeting_get_acquire(const struct meeting *meeting, int word) {
    return __atomic_load_n(&meeting->page->word[word].value, __ATOMIC_ACQUIRE);
}

/* Sets a word of the page. */
static inline void meeting_set_opaque(const struct meeting *meeting, int word, int64_t value) {
    __atomic_store_n(&meeting->page->word[word].value, value, __ATOMIC_RELAXED);
}

/* Sets a word of the page after everything written before. */
static inline void meeting_set_release(const struct meeting *meeting, int word, int64_t value) {
    __atomic_store_n(&meeting->page->word[word].value, value, __ATOMIC_RELEASE);
}

/* The half of a word that a futex can wait on: the low one. */
static inline uint32_t *meeting_half(const struct meeting *meeting, int word) {
    const int low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 1;
    return (uint32_t *)(void *)&meeting->page->word[word].value + low;
}

/* Sleeps until another part calls meeting_wake() of the word, at most so long; not at all where its low half is not
 * that of `value`. What futex_sleep() returns. */
static inline long meeting_sleep(const struct meeting *meeting, int word, int64_t value, int64_t most_ns) {
    return futex_sleep(meeting_half(meeting, word), (uint32_t)value, most_ns);
}

static inline void meeting_wake(const struct meeting *meeting, int word) {
    futex_rouse(meeting_half(meeting, word));
}
