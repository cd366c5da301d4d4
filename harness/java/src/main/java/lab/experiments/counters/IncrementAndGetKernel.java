package lab.experiments.counters;

import java.util.concurrent.atomic.AtomicLong;
import lab.Series;
import lab.Worker;

/**
 * AtomicLong.incrementAndGet, the published operation, on an AtomicLong as a program has it: without padding. What
 * instruction it is, is read from the machine code of {@link #run}, which the runtime is told to print.
 *
 * <p>The value it returns is kept, for with a result that nobody reads the compiler emits another instruction.
 */
final class IncrementAndGetKernel extends CounterKernel {
    private final AtomicLong counter = new AtomicLong();
    /** What incrementAndGet returned, by worker, so that it is not thrown away: written after a timed stretch. */
    private final long[] last;

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param threads     workers that will run it
     */
    IncrementAndGetKernel(int sampleEvery, int threads) {
        super(sampleEvery, threads);
        last = new long[threads];
    }

    @Override
    long value() {
        return counter.get();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        AtomicLong counter = this.counter;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long current = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    current = counter.incrementAndGet();
                }
                long before = System.nanoTime();
                current += counter.incrementAndGet();
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            last[worker.index()] = current;
            worker.end(now, operations);
        }
    }
}
