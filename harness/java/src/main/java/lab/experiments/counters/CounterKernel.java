package lab.experiments.counters;

import lab.Workers;

/**
 * The hot loop of one way to count. Every operation adds 1 to a counter that all workers share; the last operation of
 * every chunk of {@code sampleEvery} is timed, clock to clock, and is the sample. Each kernel has a loop of its own,
 * written out: a shared loop would reach the counter through one call site, compiled for all of them.
 */
abstract class CounterKernel implements Workers.Body {
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

    final void counted(int worker, long number) {
        events[worker] = number;
    }
}
