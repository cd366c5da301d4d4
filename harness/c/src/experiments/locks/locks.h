#pragma once

#include "allocate.h"
#include "cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Spin locks of the textbooks, one word or two each, inlined into the kernels. Waiters pause; they yield the CPU only
 * when there are more threads than CPUs (spin_wait()). That matters most for the two fair ones: their next owner is
 * fixed, and if it is not running nobody else can go on, so every hand-over would cost the rest of a time slice.
 */

/* Test-and-test-and-set: waiters spin on a shared copy of the line and write only when the lock looks free. Unfair. */
struct ttas_lock {
    uint32_t held;
};

static inline void ttas_acquire(struct ttas_lock *lock, bool oversubscribed) {
    unsigned spins = 0;
    while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED) || __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE)) {
        spin_wait(&spins, oversubscribed);
    }
}

static inline void ttas_release(struct ttas_lock *lock) {
    __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* Ticket lock: first come, first served; all waiters watch one word. Both words share a line, as in the classic layout:
 * taking a ticket disturbs the waiters, and that is part of its cost. */
struct ticket_lock {
    uint32_t next;
    uint32_t serving;
};

static inline void ticket_acquire(struct ticket_lock *lock, bool oversubscribed) {
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    unsigned spins = 0;
    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket) {
        spin_wait(&spins, oversubscribed);
    }
}

static inline void ticket_release(struct ticket_lock *lock) {
    /* Only the owner writes `serving`. */
    uint32_t serving = __atomic_load_n(&lock->serving, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->serving, serving + 1, __ATOMIC_RELEASE);
}

/* Mellor-Crummey and Scott's queue lock: first come, first served; every waiter spins on a line of its own, so a
 * hand-over disturbs one thread only. */
struct mcs_node {
    _Alignas(LAB_LINE) struct mcs_node *next;
    uint32_t waiting;
};

struct mcs_lock {
    struct mcs_node *tail;
};

static inline void mcs_acquire(struct mcs_lock *lock, struct mcs_node *me, bool oversubscribed) {
    unsigned spins = 0;
    __atomic_store_n(&me->next, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&me->waiting, 1, __ATOMIC_RELAXED);
    struct mcs_node *before = __atomic_exchange_n(&lock->tail, me, __ATOMIC_ACQ_REL);
    if (before) {
        __atomic_store_n(&before->next, me, __ATOMIC_RELEASE);
        while (__atomic_load_n(&me->waiting, __ATOMIC_ACQUIRE)) {
            spin_wait(&spins, oversubscribed);
        }
    }
}

static inline void mcs_release(struct mcs_lock *lock, struct mcs_node *me, bool oversubscribed) {
    unsigned spins = 0;
    struct mcs_node *next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE);
    if (!next) {
        struct mcs_node *expected = me;
        if (__atomic_compare_exchange_n(&lock->tail, &expected, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
            return;
        }
        /* A successor has swapped itself in and is about to link itself to us. */
        while (!(next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE))) {
            spin_wait(&spins, oversubscribed);
        }
    }
    __atomic_store_n(&next->waiting, 0, __ATOMIC_RELEASE);
}
