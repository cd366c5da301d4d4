package lab.experiments.signalling;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock and a condition for each direction, as the posts measured it. A condition can only be signalled under its
 * lock; the waiter is moved to the lock's queue and wakes when the lock is released.
 */
final class ConditionSignal extends Signal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition[] handed = {lock.newCondition(), lock.newCondition()};
    private final long[] numbers = new long[2];
    private long spurious;

    @Override
    void hand(int side, long number) {
        lock.lock();
        try {
            numbers[side] = number;
            handed[side].signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        lock.lock();
        try {
            while (numbers[side] == previous) {
                handed[side].await();
                if (numbers[side] == previous) {
                    spurious++;
                }
            }
            return numbers[side];
        } finally {
            lock.unlock();
        }
    }

    @Override
    long spurious() {
        return spurious;
    }
}
