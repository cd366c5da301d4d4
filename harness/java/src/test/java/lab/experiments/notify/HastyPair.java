package lab.experiments.notify;

/** Sends the next number without waiting for the last one to be taken: with one slot, some are overwritten. */
final class HastyPair extends MonitorPair {
    @Override
    void awaitWaiter() {
        // Hasty.
    }
}
