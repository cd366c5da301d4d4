package lab.experiments.gc;

import lab.Parameters;

/**
 * What an operation does: it makes small arrays. All are stored where other code could find them, so no compiler can
 * leave one out. Most are dropped at once; every so many goes to the live set, from which the oldest leaves: what
 * survives dies in the order in which it came.
 */
class Garbage {
    /** Bytes of an array that are asked for, and with its header about {@link #SHARE}. */
    private static final int LENGTH = 84;
    /** Of {@code bytes-per-operation} for each array. */
    private static final int SHARE = 100;
    /** Bytes that an array takes on any virtual machine, its shortest header and padding included. */
    static final int LEAST = 96;
    /** And on one whose headers are as long as they get. */
    private static final int MOST = 112;

    private static final int RECENT = 32;
    private static final long MIB = 1 << 20;

    private final byte[][] recent = new byte[RECENT][];
    /** Odd many, so that an array and the one whose place it takes never begin with the same byte. */
    private final byte[][] live;

    /** Arrays made by an operation. */
    final int arrays;

    private final int keepEvery;
    private int untilKept;
    private int at;
    private long kept;
    /** Operations done so far. */
    long operations;

    /** Fills the live set. */
    Garbage(Parameters parameters) {
        arrays = arrays(parameters);
        keepEvery = parameters.getInt("keep-every");
        untilKept = keepEvery;
        live = new byte[places(parameters)][];
        for (int i = 0; i < live.length; i++) {
            keep(new byte[LENGTH]);
        }
    }

    private static int arrays(Parameters parameters) {
        return parameters.getInt("bytes-per-operation") / SHARE;
    }

    private static int places(Parameters parameters) {
        return Math.toIntExact(parameters.getLong("live-mb") * MIB / MOST) | 1;
    }

    /** Bytes that so many operations and the live set take at most, where nothing is freed. */
    static long most(Parameters parameters, long operations) {
        // A place of the live set is a reference, of 8 bytes at most.
        return operations * arrays(parameters) * MOST + places(parameters) * (MOST + 8L);
    }

    void operate() {
        int left = untilKept;
        for (int i = 0; i < arrays; i++) {
            byte[] array = make();
            array[0] = (byte) i;
            recent[i & RECENT - 1] = array;
            if (--left == 0) {
                left = keepEvery;
                keep(array);
            }
        }
        untilKept = left;
        operations++;
    }

    /** A test has an operation that makes nothing. */
    byte[] make() {
        return new byte[LENGTH];
    }

    /** Puts an array in the place of the oldest. */
    void keep(byte[] array) {
        array[0] = (byte) kept;
        kept++;
        live[at] = array;
        // No branch, for one that is taken once in a live set's time is compiled as one that never is.
        at = (at + 1) % live.length;
    }

    /** Arrays that the live set has room for. */
    final int places() {
        return live.length;
    }

    /** Arrays that it holds where they belong: after so many operations, each the last that was put there. */
    final int inPlace(long operationsDue) {
        long put = live.length + operationsDue * arrays / keepEvery;
        int found = 0;
        for (long number = put - live.length; number < put; number++) {
            byte[] array = live[(int) (number % live.length)];
            if (array != null && array[0] == (byte) number) {
                found++;
            }
        }
        return found;
    }
}
