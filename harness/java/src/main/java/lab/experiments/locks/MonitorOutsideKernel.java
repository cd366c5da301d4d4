package lab.experiments.locks;

import lab.Series;
import lab.Worker;

/** A synchronized block on a plain object, with work between release and the next acquire. */
final class MonitorOutsideKernel extends LockKernel {
    private static final class Lock {}

    private final Lock lock = new Lock();
    private final Outside[] outside;
    private final OwnerLog[] logs;

    /**
     * @param outside the work, by thread
     */
    MonitorOutsideKernel(SharedCounter counter, Outside[] outside, OwnerLog[] logs) {
        super(counter, 1, new Owner[0]);
        this.outside = outside;
        this.logs = logs;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Lock lock = this.lock;
        SharedCounter counter = this.counter;
        Series series = worker.series();
        Outside mine = outside[worker.index()];
        OwnerLog log = logs.length > 0 ? logs[worker.index()] : null;
        long count = 0;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long timed = 0;
            long runs = 0;
            long next = -1;
            long atLock = 0;
            long deadline = worker.begin(iteration);
            long now = System.nanoTime();
            do {
                long released = now;
                mine.work(count);
                long before = System.nanoTime();
                synchronized (lock) {
                    count = counter.increment();
                }
                now = System.nanoTime();
                runs += count == next ? 0 : 1;
                next = count + 1;
                series.add(now - before);
                timed += before - released;
                atLock += now - before;
                operations++;
                if (log != null) {
                    log.operation(before, now, count);
                }
            } while (now - deadline < 0);
            mine.ended(operations, timed, atLock, runs);
            worker.end(now, operations);
        }
    }
}
