package lab.experiments.counters;

import java.util.concurrent.atomic.AtomicLong;
import lab.Series;

/**
 * AtomicLong.incrementAndGet, the published operation, on an AtomicLong as a program has it: without padding. What
 * instruction it is, is read from the machine code of {@link #increments}, which the runtime is told to print.
 *
 * <p>Each value it returns is read, for with a result that nobody reads the compiler emits another instruction.
 */
final class IncrementAndGetKernel extends ChunkedKernel {
    private final AtomicLong counter = new AtomicLong();

    @Override
    long value() {
        return counter.get();
    }

    /** Each result is read, whether the compiler unrolls the loop or not. */
    @Override
    long increments(Series series, int count) {
        AtomicLong counter = this.counter;
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
