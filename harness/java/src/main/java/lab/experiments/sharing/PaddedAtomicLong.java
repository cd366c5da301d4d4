package lab.experiments.sharing;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An AtomicLong with six longs behind its value, as published in 2011: 8 + 48 bytes, and an object header, are more
 * than a line of 64. As published only the last one is initialised.
 */
final class PaddedAtomicLong extends AtomicLong {
    private static final long serialVersionUID = 1L;

    volatile long p1;
    volatile long p2;
    volatile long p3;
    volatile long p4;
    volatile long p5;
    volatile long p6 = 7;

    PaddedAtomicLong(long value) {
        super(value);
    }

    /** Reads the padding, so that no compiler may take it for unused. */
    long padding() {
        return p1 + p2 + p3 + p4 + p5 + p6;
    }
}
