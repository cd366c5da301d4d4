#pragma once

#include "end.h"

/*
 * How two ends get a link. Ping makes what there is to be found and tells the key of it by the
 * meeting page; pong joins; ping welcomes it and removes the names, so that nothing is left of a
 * trial however it ends.
 */

/* What lies in the scratch folder meanwhile. */
struct scratch {
    const char *folder;
    int64_t capacity;  /* of a ring */
    int64_t key;       /* ping: what to tell; make() may change it */
    int listener;      /* a socket's, while nobody has come */
    char path[2][512]; /* by role: what that one writes, as docs/formats.md names it */
};

/* Functions that return 0 or fail(). Each may be NULL. */
struct link {
    int (*make)(struct end *end, struct scratch *scratch);    /* ping, before pong knows */
    int (*welcome)(struct end *end, struct scratch *scratch); /* ping, pong coming */
    int (*join)(struct end *end, struct scratch *scratch);    /* pong */
    bool polled;                                              /* its descriptors never block: neither end ever sleeps */
};

extern const struct link link_word, link_ring, link_pipe, link_unix, link_tcp;
/* The same, polled. */
extern const struct link link_pipe_spin, link_unix_spin, link_tcp_spin;

/* Connects this end with the other. 0, or fail(); ends the process where the other does not come.
 */
int link_open(const struct link *link, struct end *end, struct scratch *scratch);
void link_close(struct end *end);

/* Whether reading and writing of a descriptor wait. 0 or fail(). */
int link_set_blocking(int file, bool blocking);

/* A ring of a process that is both ends: end->out. */
int link_alone(struct end *end, struct scratch *scratch);
