package lab.experiments.executor;

import java.util.concurrent.RejectedExecutionException;
import lab.load.Receipts;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;

/**
 * A pool without a lock: a bounded queue of many producers and many consumers (Vyukov's, as in JCTools), and workers
 * that ask it again and again. Handing over is one compare-and-set on the queue's index and two stores. An idle worker
 * keeps its CPU; where there are more threads than CPUs it gives it away now and then.
 */
class LockFreePool implements Pool {
    /** Empty looks before an idle worker yields, where threads outnumber CPUs. */
    private static final int YIELD_AFTER = 100;

    final Crew crew;
    final MpmcVarHandleArrayQueue<Runnable> queue;
    private final boolean yields;
    /** The workers end when they find nothing any more. */
    volatile boolean stopping;
    /** The workers end. */
    volatile boolean abandoned;

    /**
     * @param slots  room in the queue, for every task that can be under way
     * @param yields whether an idle worker gives its CPU away
     */
    LockFreePool(Crew crew, int slots, boolean yields) {
        this.crew = crew;
        this.yields = yields;
        queue = new MpmcVarHandleArrayQueue<>(slots);
    }

    @Override
    public final void start() {
        crew.countFailedPolls();
        crew.start(this::live);
    }

    @Override
    public void execute(Task task) {
        enqueue(task);
    }

    final void enqueue(Task task) {
        if (!queue.offer(task)) {
            throw new RejectedExecutionException("the queue is full: it has room for every window");
        }
    }

    /** A worker's life. It reads {@code stopping} before it looks: what was handed over until then is found. */
    private void live(int number) {
        Receipts receipts = crew.receipts(number);
        int empty = 0;
        while (!abandoned) {
            boolean last = stopping;
            Runnable task = queue.poll();
            if (task == null && last) {
                return;
            }
            if (task == null) {
                task = idle(number, empty++);
            }
            if (task != null) {
                if (empty > 0) {
                    receipts.failedPolls(empty);
                    empty = 0;
                }
                task.run();
            }
        }
    }

    /**
     * A worker has found nothing.
     *
     * @param empty how often in a row before
     * @return a task that came meanwhile, or null
     */
    Runnable idle(int number, int empty) {
        if (yields && empty >= YIELD_AFTER) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
        return null;
    }

    @Override
    public void shutdown() {
        stopping = true;
    }

    @Override
    public final int left() {
        return queue.size();
    }

    @Override
    public void abandon() {
        abandoned = true;
        shutdown();
    }
}
