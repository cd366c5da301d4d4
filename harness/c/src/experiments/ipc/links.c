#include "ipc.h"
#include "temporary.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t await_word(const struct end *end, int word) {
    const int64_t since = clock_ns();
    int64_t value;
    while ((value = meeting_get_acquire(end->meeting, word)) == 0) {
        sched_yield();
        meeting_end_if_hopeless(since);
    }
    return value;
}

static int name_files(struct scratch *scratch) {
    struct stat is;
    if (stat(scratch->folder, &is) != 0 || !S_ISDIR(is.st_mode)) {
        return fail(STATUS_BAD_ARGUMENT, "--dir %s: there is no such folder", scratch->folder);
    }
    static const char *const roles[] = {[PING] = "ping", [PONG] = "pong"};
    for (int role = PING; role <= PONG; role++) {
        if ((size_t)snprintf(scratch->path[role], sizeof *scratch->path, "%s/lab-ipc-%" PRIx64 ".%s", scratch->folder,
                             (uint64_t)scratch->key, roles[role]) >= sizeof *scratch->path) {
            return fail(STATUS_BAD_ARGUMENT, "--dir %.80s...: longer than %zu bytes", scratch->folder,
                        sizeof *scratch->path);
        }
    }
    return 0;
}

static void remove_files(const struct scratch *scratch) {
    for (int role = PING; role <= PONG; role++) {
        unlink(scratch->path[role]);
        temporary_release(scratch->path[role]);
    }
}

/* No two trials of a host have the same, nor a process that has the number of one before. */
static int64_t new_key(void) {
    return (int64_t)((uint64_t)clock_ns() << 16 | ((uint64_t)getpid() & 0xffff)) & INT64_MAX;
}

static int open_ping(const struct link *link, struct end *end, struct scratch *scratch) {
    scratch->key = new_key();
    int status = name_files(scratch);
    if (status) {
        return status;
    }
    temporary_track(scratch->path[PING]);
    temporary_track(scratch->path[PONG]);
    status = link->make ? link->make(end, scratch) : 0;
    if (status == 0) {
        meeting_set_release(end->meeting, WORD_KEY, scratch->key);
        status = link->welcome ? link->welcome(end, scratch) : 0;
    }
    if (status == 0) {
        await_word(end, WORD_READY);
    }
    remove_files(scratch);
    return status;
}

static int open_pong(const struct link *link, struct end *end, struct scratch *scratch) {
    scratch->key = await_word(end, WORD_KEY);
    int status = name_files(scratch);
    status = status || !link->join ? status : link->join(end, scratch);
    if (status == 0) {
        meeting_set_release(end->meeting, WORD_READY, 1);
    }
    return status;
}

int link_open(const struct link *link, bool polled, struct end *end, struct scratch *scratch) {
    signal(SIGPIPE, SIG_IGN); /* who writes to an end that has died is told by write() */
    int status = end->role == PING ? open_ping(link, end, scratch) : open_pong(link, end, scratch);
    if (polled) {
        status = status ? status : link_set_blocking(end->writes.file, false);
        status = status ? status : link_set_blocking(end->reads.file, false);
    }
    return status;
}

void link_close(struct end *end) {
    ring_close(&end->out);
    ring_close(&end->in);
    if (end->reads.file >= 0) {
        close(end->reads.file);
    }
    if (end->writes.file >= 0 && end->writes.file != end->reads.file) {
        close(end->writes.file);
    }
    free(end->reads.buffer);
    free(end->writes.buffer);
}

int link_alone(struct end *end, struct scratch *scratch) {
    scratch->key = new_key();
    int status = name_files(scratch);
    if (status == 0) {
        temporary_track(scratch->path[PING]);
        status = ring_create(&end->out, scratch->path[PING], scratch->capacity);
        remove_files(scratch);
    }
    return status;
}

const struct link link_word = {0};

static int make_rings(struct end *end, struct scratch *scratch) {
    int status = ring_create(&end->out, scratch->path[PING], scratch->capacity);
    status = status ? status : ring_create(&end->in, scratch->path[PONG], scratch->capacity);
    return status;
}

static int join_rings(struct end *end, struct scratch *scratch) {
    int status = ring_attach(&end->in, scratch->path[PING]);
    status = status ? status : ring_attach(&end->out, scratch->path[PONG]);
    if (status == 0) {
        ring_consume(&end->in);
        status = ring_produce(&end->out, scratch->path[PONG]);
    }
    return status;
}

const struct link link_ring = {.make = make_rings, .join = join_rings};
