package lab.experiments.counters;

import lab.Series;
import lab.Worker;

/**
 * A counter whose chunk is a method of its own, compiled as a whole after some hundred calls; short chunks make them
 * while warming up. A loop inside {@link #run} would be replaced on the stack while it turns, and what the compiler
 * makes of it then stores a register in each pass, which the next LOCK waits for: 10 ns in place of 7 (JDK 17, Intel
 * Xeon). A process runs one variant, so that the call of the chunk has one target.
 */
abstract class ChunkedKernel extends CounterKernel {
    /** Most increments per chunk while warming up. */
    private static final int WARMUP_CHUNK = 16;

    /** A chunk of so many; when it ended. */
    abstract long increments(Series series, int count);

    @Override
    public final void run(Worker worker, int from, int to) {
        Series series = worker.series();
        for (int iteration = from; iteration < to; iteration++) {
            int count = worker.measured(iteration) ? sampleEvery : Math.min(sampleEvery, WARMUP_CHUNK);
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                now = increments(series, count);
                operations += count;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    /** Reads what increments returned, ored: an increment whose result nobody reads is another instruction. */
    static void notNegative(long returned) {
        if (returned < 0) {
            throw new ArithmeticException("the counter went below zero: " + returned);
        }
    }
}
