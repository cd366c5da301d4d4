package lab.experiments.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A 64-bit word that shares its cache line, and the neighbouring one, with nothing. */
final class SharedWord extends SharedWordField {
    /** Access to {@link #value} of a SharedWord. */
    static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(SharedWordField.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // 128 bytes, for the prefetcher fetches lines in pairs.
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    /** The value; exact once the workers have met at a barrier. */
    long value() {
        return value;
    }
}

/** Keeps what is laid out before the word away; a superclass's fields are never moved among a subclass's. */
class SharedWordPadding {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}

/** The word itself. */
class SharedWordField extends SharedWordPadding {
    long value;
}
