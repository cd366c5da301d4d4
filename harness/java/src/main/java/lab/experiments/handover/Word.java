package lab.experiments.handover;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.VarHandles;
import lab.load.Padding;

/** One counter on cache lines of its own: one side writes it, the other watches it. */
final class Word extends WordField {
    private static final VarHandle VALUE =
            VarHandles.field(MethodHandles.lookup(), WordField.class, "value", long.class);

    // 128 bytes, for the prefetcher fetches lines in pairs.
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    long getAcquire() {
        return (long) VALUE.getAcquire(this);
    }

    void setRelease(long value) {
        VALUE.setRelease(this, value);
    }

    /** One locked instruction on x86; the old value is not wanted, so that the compiler may choose LOCK ADD. */
    void add() {
        VALUE.getAndAdd(this, 1L);
    }
}

/** The counter itself. */
class WordField extends Padding {
    volatile long value;
}
