#pragma once

#include <sched.h>
#include <stdbool.h>

/* What a kernel has to tell the compiler and the core. */

/* A parameter of a function that has the type of others, and no use for all that those are given. */
#define UNUSED __attribute__((unused))

/* What a timed loop is made of. Functions and flags that it is given are constants wherever it is called: so it becomes
 * a loop of its own there, with all of them inlined. */
#define TEMPLATE static inline __attribute__((always_inline))

/* Stops the compiler from keeping a word in a register, from folding many increments of it into one addition and from
 * dropping stores. Costs no instruction. */
static inline void compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/* The full fence after a store as HotSpot compiles that of a volatile field, for kernels that are the twins of Java's:
 * on x86 a locked instruction that changes nothing, on the stack one line below its top. What a compiler takes for a
 * fence of its own (gcc: MFENCE or LOCK OR) is its choice, and costs something else. On aarch64 its C2 stores such a
 * field with STLR and has no fence after it; what is said to be a store and a fence is one there too, DMB ISH. */
static inline void fence_as_hotspot(void) {
#if defined(__x86_64__)
    __asm__ volatile("lock addl $0, -64(%%rsp)" ::: "memory", "cc");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Tells the core that this is a spin loop: saves power and, on x86, the costly memory-order machine clear on leaving
 * the loop. On aarch64 ISB, for YIELD is a NOP on most of its cores. */
static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#else
    compiler_barrier();
#endif
}

/*
 * One turn of a spin loop; `spins` counts the turns of this wait. With a CPU for every thread it never enters the
 * kernel. With more threads than CPUs the thread we wait for may not be running, and spinning on would burn the rest of
 * our time slice (milliseconds) for nothing: after a short while the CPU is offered to it.
 */
static inline void spin_wait(unsigned *spins, bool oversubscribed) {
    enum { SPINS_BEFORE_YIELD = 64 };
    cpu_relax();
    if (oversubscribed && ++*spins >= SPINS_BEFORE_YIELD) {
        *spins = 0;
        sched_yield();
    }
}
