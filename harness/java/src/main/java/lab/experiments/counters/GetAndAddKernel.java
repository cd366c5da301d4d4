package lab.experiments.counters;

import lab.Series;
import lab.Worker;

/**
 * getAndAdd, as AtomicLong.getAndIncrement does it. Where the compiler knows it as an intrinsic it is one LOCK XADD on
 * x86; otherwise it is the loop written in Java around a compare-and-set.
 *
 * <p>The value it returns is kept, for with a result that nobody reads the compiler emits LOCK ADD. Only the last of a
 * chunk leaves the register, so that costs nothing per operation.
 */
final class GetAndAddKernel extends CounterKernel {
    private final SharedWord word = new SharedWord();
    /** What getAndAdd returned, by worker, so that it is not thrown away: written after a timed stretch. */
    private final long[] last;

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param threads     workers that will run it
     */
    GetAndAddKernel(int sampleEvery, int threads) {
        super(sampleEvery, threads);
        last = new long[threads];
    }

    @Override
    long value() {
        return word.value();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedWord word = this.word;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long old = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    old = (long) SharedWord.VALUE.getAndAdd(word, 1L);
                }
                long before = System.nanoTime();
                old += (long) SharedWord.VALUE.getAndAdd(word, 1L);
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            last[worker.index()] = old;
            worker.end(now, operations);
        }
    }
}
