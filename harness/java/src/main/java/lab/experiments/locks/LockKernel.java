package lab.experiments.locks;

import lab.Workers;

/**
 * The hot loop of one variant. Each has a loop of its own, written out: a shared loop would call the lock through one
 * call site, and a helper for a chunk would be compiled once, by itself, which would hide the difference between code
 * replaced on the stack and code compiled for the whole method ({@code warmup-style}).
 */
abstract class LockKernel implements Workers.Body {
    final SharedCounter counter;
    final int sampleEvery;

    LockKernel(SharedCounter counter, int sampleEvery) {
        this.counter = counter;
        this.sampleEvery = sampleEvery;
    }

    /** The counter this kernel increments. */
    final SharedCounter counter() {
        return counter;
    }
}
