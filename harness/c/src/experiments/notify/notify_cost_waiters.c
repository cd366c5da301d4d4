/* The waiters of notify_cost: threads beside the workers, one for each pair. */
#include "notify_cost.h"

enum { WAITER_STACK = 128 << 10 }; /* the least that aarch64 allows */

static void *waiter_main(void *argument) {
    struct pair *pair = argument;
    pair->mechanism->receive(pair);
    return NULL;
}

int waiters_start(struct pair *pairs, int count, const struct mechanism *mechanism, int *started) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WAITER_STACK);
    int error = 0;
    for (*started = 0; *started < count && !error; *started += !error) {
        struct pair *pair = &pairs[*started];
        pair->mechanism = mechanism;
        pthread_mutex_init(&pair->mutex, NULL);
        pthread_cond_init(&pair->changed, NULL);
        error = pthread_create(&pair->waiter, &attributes, waiter_main, pair);
    }
    pthread_attr_destroy(&attributes);
    return error;
}

void waiters_end(struct pair *pairs, int started) {
    for (int i = 0; i < started; i++) {
        pairs[i].mechanism->stop(&pairs[i]);
        pthread_join(pairs[i].waiter, NULL);
    }
}
