package lab.experiments.counters;

import lab.Series;
import lab.Worker;

/**
 * A counter whose subclass has only the loop over its operation; the chunks and the timed operation are those of every
 * counter. A process runs one variant, so that the call of the loop has one target, and it is made twice per chunk.
 */
abstract class LoopKernel extends CounterKernel {
    final SharedWord word = new SharedWord();

    @Override
    final long value() {
        return word.value();
    }

    /** So many operations. */
    abstract void operate(int times);

    @Override
    public final void run(Worker worker, int from, int to) {
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                operate(untimed);
                long before = System.nanoTime();
                operate(1);
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
