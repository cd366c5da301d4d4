package lab.experiments.locks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The counter the lock guards, and the owner window beside it.
 *
 * <p>The counter lies on cache lines of its own. Were it on the line of the lock word, every waiter that polls the
 * lock would also take the counter away from the owner, and the result would be the cost of false sharing. So a
 * handover moves two lines, the lock's and the counter's, as in a program whose data are not inside its lock. What
 * lies beside the lock word inside a lock of the JDK is the JDK's choice and part of what is measured.
 *
 * <p>The window records who made each of a stretch of increments, one slot per increment. Outside the window that
 * costs one compare. Its fields are only written between iterations and lie on lines of their own, as in C: beside
 * the counter they would be taken away with it, and without a lock the second look at the line would cost a transfer
 * of its own.
 */
final class SharedCounter extends SharedCounterFields {
    private static final VarHandle VALUE;
    private static final long CLOSED = Long.MAX_VALUE;
    private static final int TRAINING = 200_000;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(SharedCounterValue.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final short[] owners;
    private long windowStart;

    // 128 bytes, for the prefetcher fetches lines in pairs.
    long last0, last1, last2, last3, last4, last5, last6, last7;
    long last8, last9, lastA, lastB, lastC, lastD, lastE, lastF;

    /** @param window number of increments whose owner is recorded in each iteration */
    SharedCounter(int window) {
        owners = new short[window];
        openWindow(0);
    }

    /**
     * Shows the compiler increments before, inside and after the window, and the first one after it, before any kernel
     * is compiled. A kernel compiled when one of them had not been seen would fall back to the interpreter at the first
     * of its kind, and so in the middle of its synchronized block. HotSpot inflates a stack-locked monitor whose frame
     * it deoptimises (BasicLock::move_to), and JDK 17 takes and frees an inflated one with one atomic instruction where
     * a stack lock needs two: trials that were compiled early would have measured another lock, at half the cost.
     */
    static void train() {
        int window = 64;
        SharedCounter counter = new SharedCounter(window);
        for (int i = 0; i < TRAINING; i++) {
            if (i % (3 * window) == 0) {
                counter.openWindow(window);
            }
            counter.increment((short) 0);
        }
    }

    /** One increment, for a caller that holds the lock; the count before it. */
    long increment(short owner) {
        long count = value;
        value = count + 1;
        record(count, owner);
        return count;
    }

    /**
     * One increment by the only thread there is. Opaque access keeps one load and one store per operation, as a lock
     * forces them; with plain access the compiler would keep the counter in a register over the whole chunk and
     * measure an addition.
     */
    void incrementOpaque(short owner) {
        long count = (long) VALUE.getOpaque(this);
        VALUE.setOpaque(this, count + 1);
        record(count, owner);
    }

    /** One increment by getAndAdd. The old value is unique, so every increment has a slot of its own here too. */
    void incrementAtomic(short owner) {
        record((long) VALUE.getAndAdd(this, 1L), owner);
    }

    private void record(long count, short owner) {
        long slot = count - windowStart;
        // Both ends in one compare: a slot before the window is negative, hence huge when taken as unsigned.
        if (Long.compareUnsigned(slot, owners.length) < 0) {
            owners[(int) slot] = owner;
        }
    }

    /** The count; exact once the workers have met at a barrier. */
    long value() {
        return value;
    }

    /** Opens the window so many increments from now. Between iterations only. */
    void openWindow(long increments) {
        windowStart = value + increments;
    }

    /** The owners of the increments made inside the window, in order; closes it. Between iterations only. */
    short[] takeWindow() {
        long made = Math.max(0, Math.min(owners.length, value - windowStart));
        windowStart = CLOSED;
        return Arrays.copyOf(owners, (int) made);
    }
}

/** Keeps what is laid out before the fields away; a superclass's fields are never moved among a subclass's. */
class SharedCounterPadding {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}

/** The count. */
class SharedCounterValue extends SharedCounterPadding {
    long value;
}

/** Keeps the window's fields, which all read, off the line of the count, which one writes. */
class SharedCounterFields extends SharedCounterValue {
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;
}
