package lab.experiments.notify;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Condition.signal between lock and unlock of a ReentrantLock: the waiter moves queues, unlock unparks it. */
final class ConditionPair extends Pair {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Guarded by the lock. */
    private long slot;

    @Override
    void send(long sequence) {
        long called;
        long returned;
        long before = System.nanoTime();
        lock.lock();
        try {
            slot = sequence;
            called = System.nanoTime();
            changed.signal();
            returned = System.nanoTime();
        } finally {
            lock.unlock();
        }
        record(returned - called, System.nanoTime() - before);
    }

    @Override
    void receive() {
        lock.lock();
        try {
            while (true) {
                while (slot == last()) {
                    changed.awaitUninterruptibly();
                }
                if (slot == STOP) {
                    return;
                }
                take(slot);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    void stop() {
        lock.lock();
        try {
            slot = STOP;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** As with a monitor: the lock is free only once the waiter waits. */
    @Override
    void asleep() {
        lock.lock();
        lock.unlock();
    }
}
