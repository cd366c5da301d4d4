package lab.experiments.queues;

/** A wait that spins; where threads outnumber CPUs it yields after a hundred attempts. */
final class Pause {
    private static final int SPINS = 100;
    private static final int LOOK = 1024;

    private Pause() {}

    /**
     * Between two attempts.
     *
     * @param attempts made so far, in a row
     * @throws IllegalStateException once another worker has failed
     */
    static void after(int attempts, boolean yields) {
        if (yields && attempts >= SPINS) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
        if ((attempts & (LOOK - 1)) == LOOK - 1 && Thread.currentThread().isInterrupted()) {
            throw interrupted(null);
        }
    }

    static IllegalStateException interrupted(InterruptedException cause) {
        return new IllegalStateException("interrupted: another worker failed", cause);
    }
}
