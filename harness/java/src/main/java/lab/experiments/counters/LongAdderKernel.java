package lab.experiments.counters;

import java.util.concurrent.atomic.LongAdder;
import lab.Series;

/**
 * A LongAdder: under contention every worker soon counts in a cell of its own, and only reading adds them up. It
 * counts, but gives no number to the caller, so it cannot hand out sequence numbers as the others can.
 */
final class LongAdderKernel extends ChunkedKernel {
    private final LongAdder adder = new LongAdder();

    @Override
    long value() {
        return adder.sum();
    }

    @Override
    long increments(Series series, int count) {
        LongAdder adder = this.adder;
        for (int i = 1; i < count; i++) {
            adder.increment();
        }
        long before = System.nanoTime();
        adder.increment();
        long now = System.nanoTime();
        series.add(now - before);
        return now;
    }
}
