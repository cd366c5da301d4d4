package lab.experiments.locks;

import java.util.concurrent.locks.ReentrantLock;
import lab.Series;
import lab.Worker;

/** A ReentrantLock, barging or fair. The compiler does not merge its critical sections: they are compare-and-set. */
final class ReentrantKernel extends LockKernel {
    private final ReentrantLock lock;

    /** @param sampleEvery operations per chunk, of which the last is timed */
    ReentrantKernel(SharedCounter counter, int sampleEvery, ReentrantLock lock) {
        super(counter, sampleEvery);
        this.lock = lock;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        ReentrantLock lock = this.lock;
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
                    lock.lock();
                    try {
                        counter.increment(owner);
                    } finally {
                        lock.unlock();
                    }
                }
                long before = System.nanoTime();
                lock.lock();
                try {
                    counter.increment(owner);
                } finally {
                    lock.unlock();
                }
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
