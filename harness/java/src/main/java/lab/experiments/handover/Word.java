package lab.experiments.handover;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** One counter on cache lines of its own: one side writes it, the other watches it. */
final class Word extends WordField {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(WordField.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

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

/** Keeps what is laid out before the field away; a superclass's fields are never moved among a subclass's. */
class WordPadding {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}

/** The counter itself. */
class WordField extends WordPadding {
    volatile long value;
}
