package lab.experiments.locks;

import lab.Series;
import lab.Worker;

/** getAndAdd, one locked instruction on x86: the control without a lock. */
final class AtomicKernel extends LockKernel {
    /** @param sampleEvery operations per chunk, of which the last is timed */
    AtomicKernel(SharedCounter counter, int sampleEvery) {
        super(counter, sampleEvery);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedCounter counter = this.counter;
        Series series = worker.series();
        short owner = (short) worker.index();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    counter.incrementAtomic(owner);
                }
                long before = System.nanoTime();
                counter.incrementAtomic(owner);
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
