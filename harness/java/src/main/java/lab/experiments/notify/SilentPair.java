package lab.experiments.notify;

/**
 * The control: the same block with nothing between the two inner readings of the clock, and no waiter. What its
 * histograms show is the clock, the lock and the host. The notifier itself then takes the number it left.
 */
final class SilentPair extends Pair {
    private final Object lock = new Object();
    private long slot;

    @Override
    void send(long sequence) {
        long before = System.nanoTime();
        long called;
        long returned;
        synchronized (lock) {
            slot = sequence;
            called = System.nanoTime();
            returned = System.nanoTime();
        }
        record(returned - called, System.nanoTime() - before);
        synchronized (lock) {
            take(slot);
        }
    }

    @Override
    void receive() {
        // Nobody is notified.
    }

    @Override
    void stop() {
        // Nobody waits.
    }

    /** Gives the CPU away as the others do, so that as many threads compete for it. */
    @Override
    void asleep() {
        pause();
    }
}
