package lab.experiments.locks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.VarHandles;
import lab.load.Padding;

/**
 * The counter the lock guards.
 *
 * <p>The counter lies on cache lines of its own. Were it on the line of the lock word, every waiter that polls the
 * lock would also take the counter away from the owner, and the result would be the cost of false sharing. So a
 * handover moves two lines, the lock's and the counter's, as in a program whose data are not inside its lock. What
 * lies beside the lock word inside a lock of the JDK is the JDK's choice and part of what is measured.
 */
final class SharedCounter extends SharedCounterValue {
    private static final VarHandle VALUE =
            VarHandles.field(MethodHandles.lookup(), SharedCounterValue.class, "value", long.class);

    // 128 bytes, for the prefetcher fetches lines in pairs.
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    /** One increment, for a caller that holds the lock; the count before it. */
    long increment() {
        long count = value;
        value = count + 1;
        return count;
    }

    /**
     * One increment by the only thread there is. Opaque access keeps one load and one store per operation, as a lock
     * forces them; with plain access the compiler would keep the counter in a register over the whole chunk and
     * measure an addition.
     */
    long incrementOpaque() {
        long count = (long) VALUE.getOpaque(this);
        VALUE.setOpaque(this, count + 1);
        return count;
    }

    /** One increment by getAndAdd; the count before it, which no other increment has. */
    long incrementAtomic() {
        return (long) VALUE.getAndAdd(this, 1L);
    }

    /** The count; exact once the workers have met at a barrier. */
    long value() {
        return value;
    }
}

/** The count. */
class SharedCounterValue extends Padding {
    long value;
}
