package lab.experiments.locks;

import lab.Worker;

/**
 * A synchronized block on a plain object.
 *
 * <p>Where the compiler unrolls the inner loop it may merge neighbouring blocks into one (lock coarsening). That is a
 * real effect of this variant and is kept; {@code -XX:-EliminateLocks} is its control. It cannot merge
 * a chunk with the next, for a reading of the clock lies between them.
 */
final class MonitorKernel extends LockKernel {
    /** A plain object, of a class of its own so that the virtual machine's logs tell it from others. */
    private static final class Lock {}

    private final Lock lock = new Lock();

    MonitorKernel(SharedCounter counter, int chunk, Owner[] owners) {
        super(counter, chunk, owners);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Lock lock = this.lock;
        SharedCounter counter = this.counter;
        Owner owner = owners[worker.index()];
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long next = -1;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < chunk; i++) {
                    synchronized (lock) {
                        next = owner.entered(counter.increment(), next);
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
