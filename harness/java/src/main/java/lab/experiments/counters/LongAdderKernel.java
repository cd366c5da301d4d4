package lab.experiments.counters;

import java.util.concurrent.atomic.LongAdder;
import lab.Series;
import lab.Worker;

/**
 * A LongAdder: under contention every worker soon counts in a cell of its own, and only reading adds them up. It
 * counts, but gives no number to the caller, so it cannot hand out sequence numbers as the others can.
 */
final class LongAdderKernel extends CounterKernel {
    private final LongAdder adder = new LongAdder();

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param threads     workers that will run it
     */
    LongAdderKernel(int sampleEvery, int threads) {
        super(sampleEvery, threads);
    }

    @Override
    long value() {
        return adder.sum();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        LongAdder adder = this.adder;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    adder.increment();
                }
                long before = System.nanoTime();
                adder.increment();
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
