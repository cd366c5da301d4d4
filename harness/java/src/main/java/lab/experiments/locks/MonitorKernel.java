package lab.experiments.locks;

import lab.Series;
import lab.Worker;

/**
 * A synchronized block on a plain object.
 *
 * <p>Where the compiler unrolls the inner loop it may merge neighbouring blocks into one (lock coarsening). That is a
 * real effect of this variant and is kept; {@code -XX:-EliminateLocks} is its control. It cannot reach the timed
 * operation, which the readings of the clock separate from its neighbours, nor merge a chunk with the next.
 */
final class MonitorKernel extends LockKernel {
    /** A plain object, of a class of its own so that the virtual machine's logs tell it from others. */
    private static final class Lock {}

    private final Lock lock = new Lock();

    /** @param sampleEvery operations per chunk, of which the last is timed */
    MonitorKernel(SharedCounter counter, int sampleEvery) {
        super(counter, sampleEvery);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Lock lock = this.lock;
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
                    synchronized (lock) {
                        counter.increment(owner);
                    }
                }
                long before = System.nanoTime();
                synchronized (lock) {
                    counter.increment(owner);
                }
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
