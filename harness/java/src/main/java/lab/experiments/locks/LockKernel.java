package lab.experiments.locks;

import lab.Workers;

/**
 * The hot loop of one variant. Each has a loop of its own, written out: a shared loop would call the lock through one
 * call site, and a helper for a chunk would be compiled once, by itself, which would hide the difference between code
 * replaced on the stack and code compiled for the whole method ({@code warmup-style}).
 */
abstract class LockKernel implements Workers.Body {
    /** The counter this kernel increments. */
    final SharedCounter counter;

    final int chunk;
    final Owner[] owners;

    /**
     * @param chunk  operations from one look at the deadline to the next
     * @param owners by thread
     */
    LockKernel(SharedCounter counter, int chunk, Owner[] owners) {
        this.counter = counter;
        this.chunk = chunk;
        this.owners = owners;
    }
}
