package lab.experiments.locks;

import java.util.concurrent.locks.StampedLock;
import lab.Series;
import lab.Worker;

/** The write lock of a StampedLock. */
final class StampedKernel extends LockKernel {
    private final StampedLock lock = new StampedLock();

    /** @param sampleEvery operations per chunk, of which the last is timed */
    StampedKernel(SharedCounter counter, int sampleEvery) {
        super(counter, sampleEvery);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        StampedLock lock = this.lock;
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
                    long stamp = lock.writeLock();
                    try {
                        counter.increment(owner);
                    } finally {
                        lock.unlockWrite(stamp);
                    }
                }
                long before = System.nanoTime();
                long stamp = lock.writeLock();
                try {
                    counter.increment(owner);
                } finally {
                    lock.unlockWrite(stamp);
                }
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
