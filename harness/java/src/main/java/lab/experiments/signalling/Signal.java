package lab.experiments.signalling;

import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import lab.Recorder;
import lab.Trial;
import lab.experiments.handover.Handover;

/**
 * A hand-over to a thread that sleeps until it is woken. No wait has a time limit, for that would turn a lost signal
 * into a slow one: a lost signal leaves both threads asleep for good, where the patience of the workers sees it. What
 * ends a wait, besides the hand-over it waits for, is the interrupt that follows that or a failure of the other thread.
 */
abstract class Signal extends Handover {
    private static final int UNKNOWN = -1;

    @Override
    protected final long patienceNanos(Trial trial) {
        return sleepersPatienceNanos(trial);
    }

    /** Makes the number known and wakes the other side. */
    abstract void hand(int side, long number) throws InterruptedException;

    /** Sleeps until the given side has handed over another number than the previous one. */
    abstract long take(int side, long previous) throws InterruptedException;

    /** Wake-ups in the whole trial after which there was nothing new; negative where they stay inside the mechanism. */
    long spurious() {
        return UNKNOWN;
    }

    @Override
    protected final void pass(int side, long number) {
        try {
            hand(side, number);
        } catch (InterruptedException e) {
            throw trialFailed(e);
        }
    }

    @Override
    protected final long await(int side, long previous) {
        try {
            return take(side, previous);
        } catch (InterruptedException e) {
            throw trialFailed(e);
        }
    }

    private static IllegalStateException trialFailed(InterruptedException cause) {
        return new IllegalStateException("interrupted: the trial failed", cause);
    }

    @Override
    protected final void check(Recorder recorder, long ping, long pong) {
        super.check(recorder, ping, pong);
        recorder.measure(-1, "handovers", ping + pong);
        if (spurious() != UNKNOWN) {
            recorder.measure(-1, "spurious_wakeups", spurious());
        }
    }

    /**
     * One lock and a condition for each direction, as the posts measured it. A condition can only be signalled under
     * its lock; the waiter is moved to the lock's queue and wakes when the lock is released.
     */
    static final class ByCondition extends Signal {
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

    /**
     * One monitor with wait and notify. Both threads wait in the same set, but never at the same time: the one that
     * notifies is awake.
     */
    static final class ByMonitor extends Signal {
        private final Object monitor = new Object();
        private final long[] numbers = new long[2];
        private long spurious;

        @Override
        void hand(int side, long number) {
            synchronized (monitor) {
                numbers[side] = number;
                monitor.notify();
            }
        }

        @Override
        long take(int side, long previous) throws InterruptedException {
            synchronized (monitor) {
                while (numbers[side] == previous) {
                    monitor.wait();
                    if (numbers[side] == previous) {
                        spurious++;
                    }
                }
                return numbers[side];
            }
        }

        @Override
        long spurious() {
            return spurious;
        }
    }

    /**
     * No lock at all: a number, and the permit of {@link LockSupport}. An unpark before the park is not lost, it lets
     * the park return at once; where the number was seen without parking, that permit is left and ends the next park
     * early.
     */
    static final class ByPark extends Signal {
        /** Longs in two cache lines: x86 fetches lines in pairs. */
        private static final int LINES = 16;

        private final AtomicLongArray numbers = new AtomicLongArray(4 * LINES);
        private final AtomicReferenceArray<Thread> waiters = new AtomicReferenceArray<>(2);
        private final long[] spurious = new long[2];

        @Override
        void hand(int side, long number) {
            numbers.set(place(side), number);
            // Nobody there yet: then the other side looks at the number after it has made itself known.
            LockSupport.unpark(waiters.get(side));
        }

        @Override
        long take(int side, long previous) throws InterruptedException {
            if (waiters.get(side) == null) {
                waiters.set(side, Thread.currentThread());
            }
            long number = numbers.get(place(side));
            while (number == previous) {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                number = numbers.get(place(side));
                if (number == previous) {
                    spurious[side]++;
                }
            }
            return number;
        }

        private static int place(int side) {
            return (1 + side) * LINES;
        }

        @Override
        long spurious() {
            return spurious[0] + spurious[1];
        }
    }

    /** A rendezvous queue for each direction: a put returns when a take has met it. Spurious wake-ups stay inside. */
    static final class BySynchronousQueue extends Signal {
        private final List<SynchronousQueue<Long>> queues = List.of(new SynchronousQueue<>(), new SynchronousQueue<>());

        @Override
        void hand(int side, long number) throws InterruptedException {
            queues.get(side).put(number);
        }

        @Override
        long take(int side, long previous) throws InterruptedException {
            return queues.get(side).take();
        }
    }

    /**
     * One exchanger: each hand-over is one exchange of the number for nothing. Having given, a thread offers nothing
     * and waits for the answer. It spins for long before it parks: with a CPU for each thread it hardly ever sleeps,
     * and is a hand-over between threads that spin. Spurious wake-ups stay inside.
     */
    static final class ByExchanger extends Signal {
        private final Exchanger<Long> exchanger = new Exchanger<>();

        @Override
        void hand(int side, long number) throws InterruptedException {
            exchanger.exchange(number);
        }

        @Override
        long take(int side, long previous) throws InterruptedException {
            Long number = exchanger.exchange(null);
            // Nothing for nothing: both came to take, and a hand-over is lost.
            return number == null ? previous : number;
        }
    }
}
