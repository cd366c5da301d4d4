package lab.experiments.notify;

/** Its waiter dies at once. */
final class FailingPair extends MonitorPair {
    FailingPair(int notifies) {
        super(notifies, true);
    }

    @Override
    void receive() {
        throw new UnsupportedOperationException("no waiter");
    }
}
