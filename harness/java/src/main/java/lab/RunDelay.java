package lab;

/**
 * How long a worker waited for a CPU in the measured phase, by the kernel's account. It is read before the first of
 * measured iterations in a row and after the last, for reading opens a file, which no iteration should wait for; what
 * is between them is part of it. Used by the worker's thread alone, then by whoever joined it.
 */
final class RunDelay {
    /** CPU time of the worker. */
    static final int RAN = 0;
    /** How long it could run and had no CPU. */
    static final int DELAY = 1;
    /** CPU time of all threads of the process. */
    static final int PROCESS = 2;
    /** Length of the measured phase. */
    static final int WALL = 3;

    private final long[] sums = new long[WALL + 1];
    private final boolean possible;
    private boolean known;
    private boolean following;

    /** @param possible whether the thread can be asked: it is no virtual one, and the native library is there */
    RunDelay(boolean possible) {
        this.possible = possible;
        known = possible;
    }

    /** To be called before every iteration, and with false after the last. */
    void follow(boolean measured) {
        if (possible && measured != following) {
            add(measured ? -1 : 1);
            following = measured;
        }
    }

    private void add(int sign) {
        long[] now = Native.runDelay();
        known = known && now != null;
        for (int i = 0; known && i < sums.length; i++) {
            sums[i] += sign * now[i];
        }
    }

    /** Whether the kernel told it and some iteration was measured. */
    boolean known() {
        return known && sums[WALL] > 0;
    }

    /** One of the above, in nanoseconds. */
    long nanos(int kind) {
        return sums[kind];
    }
}
