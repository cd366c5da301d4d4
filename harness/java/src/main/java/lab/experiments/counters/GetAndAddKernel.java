package lab.experiments.counters;

import lab.Series;

/**
 * getAndAdd, as AtomicLong.getAndIncrement does it. Where the compiler knows it as an intrinsic it is one LOCK XADD on
 * x86; otherwise it is the loop written in Java around a compare-and-set.
 *
 * <p>Each value it returns is read, for with a result that nobody reads the compiler emits LOCK ADD. They are ored in a
 * register while the next LOCK is under way, so that costs nothing.
 */
final class GetAndAddKernel extends ChunkedKernel {
    private final SharedWord word = new SharedWord();

    @Override
    long value() {
        return word.value();
    }

    /** Each result is read, whether the compiler unrolls the loop or not. */
    @Override
    long increments(Series series, int count) {
        SharedWord word = this.word;
        long returned = 0;
        for (int i = 1; i < count; i++) {
            returned |= (long) SharedWord.VALUE.getAndAdd(word, 1L);
        }
        // Before the clock is read: what is alive across a call is on the stack, stored there in each pass of the loop.
        notNegative(returned);
        long before = System.nanoTime();
        returned = (long) SharedWord.VALUE.getAndAdd(word, 1L);
        long now = System.nanoTime();
        notNegative(returned);
        series.add(now - before);
        return now;
    }
}
