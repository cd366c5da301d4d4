package lab.experiments.locks;

import lab.Series;
import lab.Worker;

/** A synchronized block on a plain object, with work between release and the next acquire. */
final class MonitorOutsideKernel extends LockKernel {
    private static final class Lock {}

    private final Lock lock = new Lock();
    private final Outside[] outside;

    /**
     * @param sampleEvery operations per chunk, of which the last is timed
     * @param outside     the work, by thread
     */
    MonitorOutsideKernel(SharedCounter counter, int sampleEvery, Outside[] outside) {
        super(counter, sampleEvery, new Owner[0]);
        this.outside = outside;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Lock lock = this.lock;
        SharedCounter counter = this.counter;
        Series series = worker.series();
        Outside mine = outside[worker.index()];
        int untimed = chunk - 1;
        long count = 0;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long timed = 0;
            long runs = 0;
            long next = -1;
            long atLock = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    mine.work(count);
                    synchronized (lock) {
                        count = counter.increment();
                        runs += count == next ? 0 : 1;
                        next = count + 1;
                    }
                }
                long released = System.nanoTime();
                mine.work(count);
                long before = System.nanoTime();
                synchronized (lock) {
                    count = counter.increment();
                    runs += count == next ? 0 : 1;
                    next = count + 1;
                }
                now = System.nanoTime();
                series.add(now - before);
                timed += before - released;
                atLock += now - before;
                operations += chunk;
            } while (now - deadline < 0);
            mine.ended(operations / chunk, timed, atLock, runs);
            worker.end(now, operations);
        }
    }
}
