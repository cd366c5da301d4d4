package lab.experiments.signalling;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * No lock at all: a number, and the permit of {@link LockSupport}. An unpark before the park is not lost, it lets the
 * park return at once; where the number was seen without parking, that permit is left and ends the next park early.
 */
final class ParkSignal extends Signal {
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
