package lab.experiments.executor;

import lab.load.Padding;
import lab.load.Receipts;
import lab.load.Sender;

/**
 * A producer's side: hands tasks over, at most a window of them at once, and takes each back once it has run, in the
 * order of submission. The window is the only back-pressure, and alike for all pools: a queue without bounds at full
 * rate would measure the collector.
 */
final class Submitter extends Padding implements Sender {
    /** Empty looks between two for what ends a wait. */
    private static final int LOOKS = 1024;

    private final Pool pool;
    private final Crew crew;
    private final Receipts receipts;
    private final boolean fresh;
    private final boolean yields;
    private final int mask;
    private final Task[] tasks;
    /** The thread that sends; null before the end of its first iteration. */
    Thread producer;
    /** What that thread had allocated at the end of the iteration: nobody else can ask once the thread has ended. */
    long allocatedBytes;

    private long handedOver;
    private long back;
    private long misused;
    private long full;

    /**
     * @param receipts where the tasks are entered; null: at the worker that runs them
     * @param window   tasks under way at once, a power of two
     * @param fresh    whether every task is a new object, as in most programs; else they are used again
     * @param yields   whether threads outnumber CPUs
     */
    Submitter(Pool pool, Crew crew, Receipts receipts, int window, boolean fresh, boolean yields) {
        this.pool = pool;
        this.crew = crew;
        this.receipts = receipts;
        this.fresh = fresh;
        this.yields = yields;
        mask = window - 1;
        tasks = new Task[window];
        for (int i = 0; i < window; i++) {
            tasks[i] = new Task(receipts);
        }
    }

    @Override
    public void send(long number, long due, long sent) {
        if (number == END) {
            drain();
            return;
        }
        if (handedOver - back > mask) {
            takeBack();
        }
        int slot = (int) handedOver & mask;
        if (fresh) {
            tasks[slot] = new Task(receipts);
        }
        handedOver++;
        pool.execute(tasks[slot].prepare(number, due, sent));
    }

    /** Returns once all have run. */
    private void drain() {
        producer = Thread.currentThread();
        while (back < handedOver) {
            takeBack();
        }
        allocatedBytes = Watch.allocatedByMe();
    }

    private void takeBack() {
        Task task = tasks[(int) back & mask];
        int expected = expected(back);
        if (task.uses() < expected) {
            full++;
            await(task, expected);
        }
        if (task.uses() != expected) {
            misused++;
        }
        back++;
    }

    /** How often the task of this number, counted through the trial, has run by then. */
    private int expected(long number) {
        return fresh ? 1 : (int) (number / (mask + 1)) + 1;
    }

    private void await(Task task, int expected) {
        int looks = 0;
        while (task.uses() < expected) {
            if (++looks % LOOKS == 0) {
                checkFailure();
            }
            if (yields) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void checkFailure() {
        crew.rethrow();
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted: another worker failed");
        }
    }

    /** How often a task had not run yet when it was needed again. */
    @Override
    public long full() {
        return full;
    }

    /** Tasks that had run too often when they were taken back, or did so later; once all have been taken back. */
    long misused() {
        long later = 0;
        for (long number = Math.max(0, handedOver - mask - 1); number < handedOver; number++) {
            later += tasks[(int) number & mask].uses() == expected(number) ? 0 : 1;
        }
        return misused + later;
    }
}
