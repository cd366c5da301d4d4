package lab.experiments.locks;

import lab.Worker;

/**
 * A lock that is passed on by a schedule: two threads in turn, each for so many operations, with a spin of known length
 * before the next may enter. Its log must say what was put in.
 */
final class ScheduledKernel extends LockKernel {
    static final long HAND_OVER_NANOS = 2_000;
    /** In each iteration, of both threads. */
    static final int RUNS = 100;

    private final int[] lengths;
    private volatile long turn;

    /** @param lengths operations of a run of thread 0 and of thread 1; nothing but whole runs is done */
    ScheduledKernel(OwnerLog[] logs, int... lengths) {
        super(new SharedCounter(), 1, logs);
        this.lengths = lengths;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        int me = worker.index();
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long next = -1;
            long deadline = worker.begin(iteration);
            long first = turn;
            // Both have seen the same turn before any passes it on.
            worker.meet();
            for (long mine = first + me; mine < first + RUNS; mine += 2) {
                while (turn < mine) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < lengths[me]; i++) {
                    next = owners[me].entered(counter.increment(), next);
                    operations++;
                }
                spin();
                turn = mine + 1;
            }
            worker.meet(); // none has ended while the other is in
            owners[me].ended(System.nanoTime(), next);
            worker.end(Math.max(deadline, System.nanoTime()), operations);
        }
    }

    private static void spin() {
        long end = System.nanoTime() + HAND_OVER_NANOS;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
