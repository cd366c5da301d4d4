package lab.experiments.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.VarHandles;
import lab.load.Padding;

/** A 64-bit word that shares its cache line, and the neighbouring one, with nothing. */
final class SharedWord extends SharedWordField {
    /** Access to {@link #value} of a SharedWord. */
    static final VarHandle VALUE = VarHandles.field(MethodHandles.lookup(), SharedWordField.class, "value", long.class);

    // 128 bytes, for the prefetcher fetches lines in pairs.
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    /** The value; exact once the workers have met at a barrier. */
    long value() {
        return value;
    }
}

/** The word itself. */
class SharedWordField extends Padding {
    long value;
}
