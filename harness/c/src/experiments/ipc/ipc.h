#pragma once

#include "end.h"

#include <pthread.h>

/* What the files of ipc share besides an end. */

/* ---- links.c, links_stream.c ---- */

/*
 * How two ends get a link. Ping makes what there is to be found and tells the key of it by the meeting page; pong
 * joins; ping welcomes it and removes the names, so that nothing is left of a trial however it ends.
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
};

extern const struct link link_word, link_ring, link_pipe, link_unix, link_tcp;

/* Connects this end with the other. `polled`: its descriptors never block. 0, or fail(); ends the process where the
 * other does not come. */
int link_open(const struct link *link, bool polled, struct end *end, struct scratch *scratch);
void link_close(struct end *end);

/* Whether reading and writing of a descriptor wait. 0 or fail(). */
int link_set_blocking(int file, bool blocking);

/* A ring of a process that is both ends: end->out. */
int link_alone(struct end *end, struct scratch *scratch);

/* ---- kernels.c ---- */

/* The kernels of a workload whose `shared` is a struct end: an iteration over one kind of link. */
void run_word(struct worker *worker, void *end);
void run_ring(struct worker *worker, void *end);
void run_sleeper(struct worker *worker, void *end);
void run_descriptors(struct worker *worker, void *end);
void run_solo(struct worker *worker, void *end);

/* ---- method.c ---- */

/* What a variant runs. */
struct method {
    const struct link *link; /* NULL: one process is both ends */
    void (*run)(struct worker *worker, void *end);
    int64_t sample_every; /* of round trips */
    bool descriptors;
    bool polled; /* they never block: neither end ever sleeps */
    bool solo;
    bool flushed; /* a thread writes ping's ring to its disk now and then */
};

/* 0, or fail(STATUS_BAD_ARGUMENT) that says which argument does not go with the others. */
int method_accepts(const struct method *method, const struct trial *trial);

enum pattern method_pattern(const struct trial *trial);

/* Round trips, or messages of a stream, of which one is timed. */
int64_t method_sample_every(const struct method *method, const struct trial *trial);

/* ---- schedule.c ---- */

/*
 * The iterations of a trial of two processes. Both have the same, whatever their language. The floors, what a bare word
 * and a bare wake-up take, are measured among the iterations of messages, since where the CPUs are to each other may
 * change in a trial.
 */
enum { FLOOR_ITERATIONS = 5, SCHEDULE_PHASES = 3 + 3 * FLOOR_ITERATIONS + 1 };

/* As many warm-up iterations of the bare word as of messages and a quarter of them of the bare wake-up, then as many of
 * messages as are measured, in five parts, each after one of the bare wake-up and one of the bare word. */
void schedule(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* Of one process, which has nobody to pass a word to. */
void schedule_alone(struct phase phases[SCHEDULE_PHASES], const struct trial *trial);

/* What is passed in the phase. */
enum passed schedule_passes(const struct phase *phase);

/* ---- flusher.c ---- */

/* A thread that writes a file's pages to its disk every FLUSH_EVERY_NS, as the kernel does on its own after 5 s and
 * more: longer than a trial lasts. */
struct flusher {
    pthread_t thread;
    int file;
    bool stop;
    int64_t flushes, longest_ns;
};

/* 0, or fail(STATUS_NO_RESOURCES). */
int flusher_start(struct flusher *flusher, int file);

/* Ends it, and says how often it wrote and how long that took. */
void flusher_stop(struct flusher *flusher, struct recorder *recorder);

/* ---- account.c ---- */

/* Of an iteration of a phase: its rows and measures. */
void end_account_iteration(struct end *end, const struct worker *worker, int iteration, const char *phase,
                           struct recorder *recorder);

/* The checks of the trial. */
void end_account_trial(const struct end *end, struct recorder *recorder);
