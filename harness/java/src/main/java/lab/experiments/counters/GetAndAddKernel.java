package lab.experiments.counters;

import lab.Series;
import lab.Worker;

/**
 * getAndAdd, as AtomicLong.getAndIncrement does it. Where the compiler knows it as an intrinsic it is one LOCK XADD on
 * x86; otherwise it is the loop written in Java around a compare-and-set.
 *
 * <p>The value it returns is used, for with a result that nobody reads the compiler emits LOCK ADD. It tells whether
 * another worker has been there since this one's last operation: that begins a run, and operations / runs is the mean
 * number of operations that a worker does per visit of the cache line.
 */
public final class GetAndAddKernel extends CounterKernel {
    private final SharedWord word = new SharedWord();

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param threads     workers that will run it
     */
    public GetAndAddKernel(int sampleEvery, int threads) {
        super(sampleEvery, threads);
    }

    @Override
    public long value() {
        return word.value();
    }

    @Override
    public String event() {
        return "owner_runs";
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedWord word = this.word;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long runs = 0;
            long expected = -1;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    long old = (long) SharedWord.VALUE.getAndAdd(word, 1L);
                    if (old != expected) {
                        runs++;
                    }
                    expected = old + 1;
                }
                long before = System.nanoTime();
                long old = (long) SharedWord.VALUE.getAndAdd(word, 1L);
                now = System.nanoTime();
                if (old != expected) {
                    runs++;
                }
                expected = old + 1;
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            counted(worker.index(), runs);
            worker.end(now, operations);
        }
    }
}
