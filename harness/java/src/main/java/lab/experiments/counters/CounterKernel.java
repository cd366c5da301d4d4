package lab.experiments.counters;

import lab.Worker;
import lab.Workers;

/**
 * The hot loop of one way to count. Every operation adds 1 to a counter that all workers share; the last operation of
 * every chunk of {@code sampleEvery} is timed, clock to clock, and is the sample. Each kernel has a loop of its own,
 * written out: a shared loop would reach the counter through one call site, compiled for all of them.
 */
abstract class CounterKernel implements Workers.Body {
    /** Most increments per chunk while warming up. */
    private static final int WARMUP_CHUNK = 16;

    final int sampleEvery;
    /** By worker: what {@link #event} names, in its last iteration. Written between timed stretch and barrier. */
    private final long[] events;

    CounterKernel(int sampleEvery, int threads) {
        this.sampleEvery = sampleEvery;
        events = new long[threads];
    }

    /** The count: all increments so far, once the workers have met at a barrier. */
    abstract long value();

    /** What is counted beside operations, as the name of a measure; empty for nothing. */
    String event() {
        return "";
    }

    /** Events of all workers in the last iteration. Between iterations only. */
    final long events() {
        long sum = 0;
        for (long each : events) {
            sum += each;
        }
        return sum;
    }

    /**
     * Increments per chunk, of kernels whose chunk is a method of its own: it is compiled after some hundred calls, and
     * short chunks make them while warming up. A loop in {@link #run} is replaced on the stack while it turns, and what
     * the compiler makes of it then stores a register in each pass, which the next LOCK waits for: 10 ns in place of 7
     * (JDK 17, Intel Xeon).
     */
    final int chunk(Worker worker, int iteration) {
        return worker.measured(iteration) ? sampleEvery : Math.min(sampleEvery, WARMUP_CHUNK);
    }

    /** Reads what increments returned, ored: an increment whose result nobody reads is another instruction. */
    static void notNegative(long returned) {
        if (returned < 0) {
            throw new ArithmeticException("the counter went below zero: " + returned);
        }
    }

    final void counted(int worker, long number) {
        events[worker] = number;
    }
}
