package lab.experiments.locks;

import java.util.concurrent.locks.ReentrantLock;
import lab.Worker;

/** A ReentrantLock, barging or fair. The compiler does not merge its critical sections: they are compare-and-set. */
final class ReentrantKernel extends LockKernel {
    private final ReentrantLock lock;

    ReentrantKernel(SharedCounter counter, int chunk, Owner[] owners, ReentrantLock lock) {
        super(counter, chunk, owners);
        this.lock = lock;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        ReentrantLock lock = this.lock;
        SharedCounter counter = this.counter;
        Owner owner = owners[worker.index()];
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long next = -1;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < chunk; i++) {
                    lock.lock();
                    try {
                        next = owner.entered(counter.increment(), next);
                    } finally {
                        lock.unlock();
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
