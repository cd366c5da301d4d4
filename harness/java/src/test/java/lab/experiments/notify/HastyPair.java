package lab.experiments.notify;

/** Sends the next number without waiting for the last one to be taken: with one slot, some are overwritten. */
public final class HastyPair extends MonitorPair {
    public HastyPair(int notifies) {
        super(notifies, true);
    }

    @Override
    void awaitWaiter() {
        // Hasty.
    }
}
