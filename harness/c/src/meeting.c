#include "meeting.h"
#include "clock.h"
#include "cpu.h"
#include "status.h"
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Turns of a wait before it yields, and how often one that lasts looks around. A wait that was stopped meanwhile has
 * missed looks and no time. */
enum { MOST_PARTS = 64, PATIENCE = 20000, LOOK_NS = 100000000 };

_Static_assert(offsetof(struct meeting_page, arrivals) == 128, "as harness/README.md says");
_Static_assert(offsetof(struct meeting_page, broken) == 256, "as harness/README.md says");
_Static_assert(offsetof(struct meeting_page, word) == 512, "as harness/README.md says");
_Static_assert(sizeof(struct meeting_page) <= MEETING_BYTES, "all words fit");

static struct meeting_page own;
static struct meeting meeting = {.parts = 1, .page = &own};
static int file = -1; /* holds the lock that shows the others that this part lives */
static bool passed;
static bool complete; /* all parts have been here: one that is not to be seen has ended */
static _Thread_local int64_t looked_ns;
static _Thread_local int absences;

const struct meeting *meeting_of_process(void) {
    return &meeting;
}

void meeting_passed(void) {
    passed = true;
}

static void at_exit(void) {
    uint32_t whole = 0;
    if (!passed) {
        __atomic_compare_exchange_n(&meeting.page->broken, &whole, (uint32_t)meeting.part + 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
    }
}

static int parse_part(const char *text, struct meeting *joined) {
    unsigned part;
    unsigned parts;
    char canonical[16];
    if (sscanf(text, "%2u/%2u", &part, &parts) == 2 && part < parts && parts >= 2 && parts <= MOST_PARTS) {
        snprintf(canonical, sizeof canonical, "%u/%u", part, parts);
        if (strcmp(canonical, text) == 0) {
            joined->part = (int)part;
            joined->parts = (int)parts;
            return 0;
        }
    }
    return fail(STATUS_BAD_ARGUMENT, "--part %s: give I/N, part I of N, with I from 0 to N-1 and N from 2 to %d", text,
                MOST_PARTS);
}

/* The lock on byte `part` of the page, which the kernel lifts when its holder ends, however it ends. */
static struct flock lock_of(int part, short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = part, .l_len = 1};
}

/* Opens and maps the page, writes its magic where that is still missing, and locks the byte of this part. */
static int map(const char *name, struct meeting *joined) {
    struct stat is;
    if (stat(name, &is) != 0) {
        return fail(STATUS_BAD_ARGUMENT, "--meet %s: there is no such file", name);
    }
    if (!S_ISREG(is.st_mode) || is.st_size != MEETING_BYTES) {
        return fail(STATUS_BAD_ARGUMENT, "--meet %s: not a meeting page: it must be a file of %d bytes", name,
                    MEETING_BYTES);
    }
    file = open(name, O_RDWR | O_CLOEXEC);
    void *page =
        file < 0 ? MAP_FAILED : mmap(NULL, MEETING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (page == MAP_FAILED) {
        return fail(STATUS_NO_RESOURCES, "--meet %s: cannot be mapped: %s", name, strerror(errno));
    }
    struct meeting_page *mapped = page;
    uint64_t magic;
    uint64_t found = 0;
    memcpy(&magic, "LABMEET1", sizeof magic);
    if (!__atomic_compare_exchange_n(&mapped->magic, &found, magic, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
        found != magic) {
        return fail(STATUS_BAD_ARGUMENT, "--meet %s: not a meeting page: it begins with 0x%" PRIx64, name, found);
    }
    struct flock lock = lock_of(joined->part, F_WRLCK);
    if (fcntl(file, F_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
        return fail(STATUS_BAD_ARGUMENT, "--part %d/%d: another process is this part of %s already", joined->part,
                    joined->parts, name);
    }
    joined->page = mapped;
    return 0;
}

int meeting_join(const char *name, const char *part) {
    if (!name && !part) {
        return 0;
    }
    if (!part) {
        return fail(STATUS_BAD_ARGUMENT, "--meet %s: give --part I/N with it", name);
    }
    if (!name) {
        return fail(STATUS_BAD_ARGUMENT, "--part %s: give --meet FILE with it", part);
    }
    struct meeting joined;
    int status = parse_part(part, &joined);
    status = status ? status : map(name, &joined);
    if (status) {
        return status;
    }
    meeting = joined;
    atexit(at_exit);
    const pid_t parent = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != parent) {
        raise(SIGKILL); /* it ended before the kernel was asked */
    }
    return 0;
}

_Noreturn static void another_failed(void) {
    die(STATUS_CHECK_FAILED, "another part failed");
}

static void end_if_broken(void) {
    if (__atomic_load_n(&meeting.page->broken, __ATOMIC_ACQUIRE)) {
        another_failed();
    }
}

static bool absent(void) {
    for (int other = 0; other < meeting.parts; other++) {
        struct flock lock = lock_of(other, F_WRLCK);
        if (other != meeting.part && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK) {
            return true;
        }
    }
    return false;
}

/* Twice in a row: what a part did before it ended, as all do after the last iteration, may have been done since the
 * caller looked for it, and must have been seen before the second time. */
static void end_if_gone(int64_t now) {
    if (!complete || now - looked_ns < LOOK_NS) {
        return;
    }
    looked_ns = now;
    absences = absent() ? absences + 1 : 0;
    if (absences == 2) {
        another_failed();
    }
}

static void await_round(int64_t patience_ns) {
    uint64_t *arrivals = &meeting.page->arrivals;
    const uint64_t parts = (uint64_t)meeting.parts;
    const uint64_t before = __atomic_fetch_add(arrivals, 1, __ATOMIC_ACQ_REL);
    const uint64_t full = (before / parts + 1) * parts;
    int spins = 0;
    int64_t looks = 0;
    int64_t looked = clock_ns();
    while (__atomic_load_n(arrivals, __ATOMIC_ACQUIRE) < full) {
        end_if_broken();
        if (spins < PATIENCE) {
            spins++;
            cpu_relax();
            continue;
        }
        sched_yield();
        const int64_t now = clock_ns();
        if (now - looked > LOOK_NS) {
            looked = now;
            looks++;
            end_if_gone(now);
            if (looks * LOOK_NS > patience_ns) {
                die(STATUS_CHECK_FAILED, "the other parts did not come to the meeting in %.3g s",
                    (double)patience_ns / 1e9);
            }
        }
    }
    complete = true;
}

void meeting_meet(int64_t patience_ns) {
    await_round(patience_ns);
    await_round(patience_ns);
}

bool meeting_compiled(int iteration, int64_t patience_ns) {
    await_round(patience_ns);
    return !__atomic_load_n(&meeting.page->fixed, __ATOMIC_RELAXED) &&
           __atomic_load_n(&meeting.page->compiled, __ATOMIC_RELAXED) == (uint32_t)iteration + 1;
}

void meeting_end_if_hopeless(int64_t deadline_ns) {
    end_if_broken();
    const int64_t now = clock_ns();
    end_if_gone(now);
    if (now - deadline_ns > WORKERS_GRACE_NS) {
        die(STATUS_CHECK_FAILED, "nothing came from another part for %.3g s past the end of the iteration",
            (double)WORKERS_GRACE_NS / 1e9);
    }
}
