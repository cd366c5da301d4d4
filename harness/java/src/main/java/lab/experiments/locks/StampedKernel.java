package lab.experiments.locks;

import java.util.concurrent.locks.StampedLock;
import lab.Worker;

/** The write lock of a StampedLock. */
final class StampedKernel extends LockKernel {
    private final StampedLock lock = new StampedLock();

    StampedKernel(SharedCounter counter, int chunk, Owner[] owners) {
        super(counter, chunk, owners);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        StampedLock lock = this.lock;
        SharedCounter counter = this.counter;
        Owner owner = owners[worker.index()];
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long next = -1;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < chunk; i++) {
                    long stamp = lock.writeLock();
                    try {
                        next = owner.entered(counter.increment(), next);
                    } finally {
                        lock.unlockWrite(stamp);
                    }
                }
                now = System.nanoTime();
                owner.ended(now, next);
                operations += chunk;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
