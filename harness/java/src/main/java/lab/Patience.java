package lab;

/**
 * How long workers may go on without meeting, before they are given up. One look that finds nothing changed tells
 * little: the whole process may have been stopped meanwhile. Two in a row leave the workers half of the patience to go
 * on in.
 *
 * @param nanos 0: for ever
 */
record Patience(long nanos) {
    private static final int LOOKS = 2;

    /** Returns once all threads have ended (true), or no longer meet (false). */
    boolean awaitEnd(Thread[] threads, Barrier barrier) throws InterruptedException {
        // No time limit is 0 here too.
        long millis = nanos == 0 ? 0 : Math.max(1, nanos / LOOKS / 1_000_000);
        long seen = 0;
        int unchanged = 0;
        for (Thread thread : threads) {
            thread.join(millis);
            while (thread.isAlive()) {
                long arrivals = barrier.arrivals();
                unchanged = arrivals == seen ? unchanged + 1 : 0;
                seen = arrivals;
                if (unchanged == LOOKS) {
                    return false;
                }
                thread.join(millis);
            }
        }
        return true;
    }
}
