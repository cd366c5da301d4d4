package lab.experiments.locks;

import lab.load.Work;

/** One thread's work between a release and its next acquire, and what was timed of it. */
final class Outside extends Work {
    /** How many pieces were timed in this iteration. */
    long pieces;
    /** Their time, and that of the operations after them, clock to clock. */
    long timedNanos;

    long lockNanos;
    /** How often this thread had the lock after another one. */
    long runs;

    /**
     * @param meanSteps   the mean of a piece
     * @param exponential the quantiles of an exponential distribution instead of pieces all alike
     * @param seed        fixes their order
     */
    Outside(double meanSteps, boolean exponential, long seed) {
        super(meanSteps, exponential, seed);
    }

    /** Leaves what the kernel timed in an iteration. */
    void ended(long pieces, long timedNanos, long lockNanos, long runs) {
        this.pieces = pieces;
        this.timedNanos = timedNanos;
        this.lockNanos = lockNanos;
        this.runs = runs;
    }
}
