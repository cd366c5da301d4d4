package lab.experiments.counters;

import java.util.concurrent.atomic.AtomicLong;
import lab.Series;
import lab.Worker;

/**
 * AtomicLong.incrementAndGet, the published operation, on an AtomicLong as a program has it: without padding. What
 * instruction it is, is read from the machine code of {@link #increments}, which the runtime is told to print.
 *
 * <p>Each value it returns is read, for with a result that nobody reads the compiler emits another instruction.
 */
final class IncrementAndGetKernel extends CounterKernel {
    private final AtomicLong counter = new AtomicLong();

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param threads     workers that will run it
     */
    IncrementAndGetKernel(int sampleEvery, int threads) {
        super(sampleEvery, threads);
    }

    @Override
    long value() {
        return counter.get();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        AtomicLong counter = this.counter;
        Series series = worker.series();
        for (int iteration = from; iteration < to; iteration++) {
            int count = chunk(worker, iteration);
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                now = increments(counter, series, count);
                operations += count;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    /** A chunk; when it ended. Each result is read, whether the compiler unrolls the loop or not. */
    private static long increments(AtomicLong counter, Series series, int count) {
        long returned = 0;
        for (int i = 1; i < count; i++) {
            returned |= counter.incrementAndGet();
        }
        // Before the clock is read: what is alive across a call is on the stack, stored there in each pass of the loop.
        notNegative(returned);
        long before = System.nanoTime();
        returned = counter.incrementAndGet();
        long now = System.nanoTime();
        notNegative(returned);
        series.add(now - before);
        return now;
    }
}
