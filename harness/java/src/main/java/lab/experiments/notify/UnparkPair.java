package lab.experiments.notify;

import java.util.concurrent.locks.LockSupport;

/** LockSupport.unpark of a parked thread: no lock, so the block is the store of the number and the call. */
final class UnparkPair extends Pair {
    private volatile long slot;
    private volatile Thread parked;

    @Override
    void send(long sequence) {
        long before = System.nanoTime();
        slot = sequence;
        long called = System.nanoTime();
        LockSupport.unpark(parked);
        long returned = System.nanoTime();
        record(returned - called, returned - before);
    }

    @Override
    void receive() {
        parked = Thread.currentThread();
        while (true) {
            long found = slot;
            if (found == STOP) {
                return;
            }
            if (found == last()) {
                LockSupport.park(this);
            } else {
                take(found);
            }
        }
    }

    @Override
    void stop() {
        slot = STOP;
        LockSupport.unpark(parked);
    }

    /** A parking thread says so just before it blocks; only those last instructions are not waited for. */
    @Override
    void asleep() {
        while (waiterState() != Thread.State.WAITING) {
            pause();
        }
    }
}
