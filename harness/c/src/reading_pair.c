#include "reading.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* What two threads share. */
struct pair {
    struct reading_line line;
    pthread_barrier_t together;
    struct reading ends[2]; /* of who answers and of who asks */
    bool given_up;          /* by the time of the first meeting: one of them cannot be */
};

struct end {
    struct pair *pair;
    bool asks;
};

static void *read_end(void *argument) {
    const struct end *end = argument;
    struct pair *pair = end->pair;
    struct reading *own = &pair->ends[end->asks];
    pthread_barrier_wait(&pair->together);
    if (!pair->given_up) {
        reading_core(own);
        pthread_barrier_wait(&pair->together);
        if (end->asks) {
            own->word_ns = reading_ask(&pair->line);
        } else {
            reading_answer(&pair->line);
        }
    }
    return NULL;
}

static int start_on(int cpu, struct end *end, pthread_t *thread) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
        return EINVAL;
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof mask, &mask);
    const int error = pthread_create(thread, &attributes, read_end, end);
    pthread_attr_destroy(&attributes);
    return error;
}

int reading_pair(int cpu, int other, struct reading *reading) {
    struct pair pair = {.given_up = false};
    struct end answering = {&pair, false};
    struct end asking = {&pair, true};
    pthread_t threads[2];
    pthread_barrier_init(&pair.together, NULL, 2);
    int error = start_on(other, &answering, &threads[0]);
    if (error == 0) {
        error = start_on(cpu, &asking, &threads[1]);
        if (error) {
            pair.given_up = true;
            pthread_barrier_wait(&pair.together);
        } else {
            pthread_join(threads[1], NULL);
        }
        pthread_join(threads[0], NULL);
    }
    *reading = pair.ends[0];
    reading->word_ns = error ? NAN : pair.ends[1].word_ns;
    pthread_barrier_destroy(&pair.together);
    return error;
}
