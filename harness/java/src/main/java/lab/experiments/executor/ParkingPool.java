package lab.experiments.executor;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock-free pool whose idle workers sleep: after some empty looks a worker announces that it will park, looks once
 * more, and parks. Whoever hands a task over looks for announcements and wakes one worker, if there is any.
 *
 * <p>Why no wake-up is lost: one word holds a bit for each worker that is asleep or about to be, and both sides write
 * first and read then, crosswise.
 * <pre>
 * submitter                       worker
 *   S1  put the task in the queue   W1  set my bit
 *   S2  full fence                  W2  full fence
 *   S3  read the bits               W3  look into the queue, park if it is empty
 * </pre>
 * Suppose that a task stays in the queue while every worker sleeps for good, and look at the last time that each set
 * its bit. It parked, so its W3 did not see S1; then, by the fences, S3 sees its W1: the bit, or that somebody
 * has cleared it. Whoever clears a sleeper's bit (by compare-and-set, so that it is one) unparks that worker, which
 * would look again and, before it sleeps, set its bit again; but that was the last time. So all bits were set at S3
 * and the submitter itself has cleared one and unparked its worker: a contradiction. Without fences each may read what
 * was before the other's write, which waits in the writer's store buffer, and the task lies there until the next one
 * comes. (The strict {@code poll} of this queue would do, for it reads the index that {@code offer} moves by
 * compare-and-set, itself a fence. The pool does not depend on how a queue finds that it is empty.)
 *
 * <p>A submitter wakes one worker for one task. A worker that finds a task at W3 while a submitter clears its bit has
 * got a wake-up it did not need, and passes it on: the task it is for may be another one, and others may sleep.
 */
class ParkingPool extends LockFreePool {
    private static final int BITS = 16;

    private final int spin;
    private final Thread[] workers;
    /** Bit i of its word {@link #BITS}: worker i is asleep, or about to be. The rest keeps that word's line free. */
    private final AtomicLongArray sleepers = new AtomicLongArray(2 * BITS);

    /** @param spin empty looks before a worker parks */
    ParkingPool(Crew crew, int slots, int spin) {
        super(crew, slots, false);
        this.spin = spin;
        workers = new Thread[crew.size()];
    }

    @Override
    public void execute(Task task) {
        enqueue(task);
        fence();
        wake();
    }

    /** Everything before is seen by all before anything after is read. */
    void fence() {
        VarHandle.fullFence();
    }

    /** Wakes one worker, the first that sleeps; none where none does. */
    final void wake() {
        long asleep = sleepers.get(BITS);
        while (asleep != 0) {
            long first = Long.lowestOneBit(asleep);
            if (sleepers.compareAndSet(BITS, asleep, asleep & ~first)) {
                LockSupport.unpark(workers[Long.numberOfTrailingZeros(first)]);
                return;
            }
            asleep = sleepers.get(BITS);
        }
    }

    @Override
    Runnable idle(int number, int empty) {
        if (empty < spin) {
            Thread.onSpinWait();
            return null;
        }
        workers[number] = Thread.currentThread();
        long me = 1L << number;
        sleepers.getAndAccumulate(BITS, me, (bits, bit) -> bits | bit);
        fence();
        Runnable task = lastLook();
        if (task == null && !stopping) {
            while ((sleepers.get(BITS) & me) != 0) {
                LockSupport.park(this);
            }
        } else if ((withdraw(me) & me) == 0) {
            wake();
        }
        return task;
    }

    /** The bits as they were. */
    private long withdraw(long me) {
        return sleepers.getAndAccumulate(BITS, me, (bits, bit) -> bits & ~bit);
    }

    /** What came while the worker announced its sleep. */
    Runnable lastLook() {
        return queue.poll();
    }

    /** Whether worker {@code number} sleeps, or is about to. */
    final boolean asleep(int number) {
        return (sleepers.get(BITS) >>> number & 1) != 0;
    }

    /** The same cross: the order to stop, a fence, the bits; against a bit, a fence, the order. */
    @Override
    public void shutdown() {
        super.shutdown();
        VarHandle.fullFence();
        for (int i = 0; i < workers.length; i++) {
            wake();
        }
    }
}
